import { PendingError, TerminalError } from '../domain/errors.ts';
import { LaunchPlan, LaunchState, LookPause } from '../domain/launch-state.ts';
import { chooseHost, isToldByNode, missingAddress } from '../domain/read-address.ts';
import type { OpenCluster } from '../ports/cluster.ts';
import { placementPace } from '../steps/look.ts';
import { observePod } from '../steps/observe-pod.ts';
import { type MonitorDeps, PodMonitor } from '../steps/pod-monitor.ts';
import { freshSince, observationMs, withinDeadline } from '../steps/within-deadline.ts';
import * as z from '../zod.ts';

/** The plan, the Pod that CreatePod made, and how this state pauses. */
export const PollHostIPInput = z.extend(LaunchPlan, { pod: z.extend(LaunchState.shape.pod, LookPause.shape) });
/** Becomes `$.placement`. */
export const PollHostIPOutput = LaunchState.shape.placement;

/** What PollHostIP needs. */
export interface PollHostIPDeps extends MonitorDeps {
  openCluster: OpenCluster;
}

/**
 * Reads the address at which the launch's Pod is reached; waits until the cluster has reported it, and judges the Pod
 * meanwhile. Read-only but for the signal in the launch's record.
 *
 * @throws PendingError PlacementPending; TransientError; TerminalError and RelaunchError as `judgePod` says;
 *   TerminalError HostAddressMissing, PlacementDeadlineExceeded
 */
export async function pollHostIP(
  deps: PollHostIPDeps,
  input: z.infer<typeof PollHostIPInput>,
): Promise<z.infer<typeof PollHostIPOutput>> {
  const { launchId, agentName, cluster, namespace } = input;
  const subject = { launchId, cluster, namespace, pod: agentName };
  const deadline = {
    step: 'PollHostIP',
    sinceEpochMs: input.pod.createdAtEpochMs,
    seconds: input.deadlines.placementSeconds,
    code: 'PlacementDeadlineExceeded',
  } as const;

  return await withinDeadline(deadline, deps.nowEpochMs, async () => {
    const [{ pods, nodes, reports }, record] = await Promise.all([
      deps.openCluster(cluster),
      deps.launches.get(launchId),
    ]);
    const monitor = new PodMonitor(deps, { pods, reports }, input, subject, record?.signal);
    const startedEpochMs = deps.nowEpochMs();
    const look = {
      forMs: observationMs(deadline, placementPace, input, input.pod.lookPauseSeconds, startedEpochMs),
      ...sinceCreation(input, startedEpochMs),
    };
    const { answer, conclusion } = await observePod({ ...deps, pods, monitor }, input, look, async (pod) => {
      if (pod === undefined) return undefined;
      const { nodeName } = pod.spec;
      const node = nodeName && isToldByNode(input) ? await nodes.get(nodeName) : undefined;
      const choice = chooseHost(pod, input, node);
      if (choice === undefined) return undefined;
      if (choice.host === undefined) throw new TerminalError('HostAddressMissing', choice.detail, subject);
      const { resourceVersion } = pod.metadata;
      return { host: choice.host, resourceVersion, placedAtEpochMs: deps.nowEpochMs() };
    });
    if (answer !== undefined) return answer;
    const { detail = 'the look was ended', subject: last = subject, pod } = conclusion ?? {};
    const missing = pod && missingAddress(pod, input);
    throw new PendingError('PlacementPending', missing === undefined ? detail : `${missing}; ${detail}`, last);
  });
}

/** An adopted Pod may have its address already, and then it may not change any more: its present state is read first. */
function sinceCreation({ pod }: z.infer<typeof PollHostIPInput>, nowEpochMs: number): { since?: string } {
  return pod.made?.isNew === true ? freshSince(pod.resourceVersion, pod.createdAtEpochMs, nowEpochMs) : {};
}
