import { PendingError, TerminalError } from '../../core/errors/errors.ts';
import { LaunchState, LookPause, PodTimes } from '../../core/launch/execution-state.ts';
import { LaunchPlan } from '../../core/launch/launch-state.ts';
import { podTimesOf } from '../../core/launch/timeline.ts';
import { chooseHost, isToldByNode, missingAddress } from '../../core/pod/read-address.ts';
import * as z from '../../core/zod.ts';
import { placementPace } from '../../logic/steps/look.ts';
import { moveForRoomOr } from '../../logic/steps/move-elsewhere.ts';
import { notePodState } from '../../logic/steps/note-pod-state.ts';
import { observePod } from '../../logic/steps/observe-pod.ts';
import { type OnClusterDeps, onClusterWithinDeadline } from '../../logic/steps/on-cluster.ts';
import { type MonitorDeps, PodMonitor } from '../../logic/steps/pod-monitor.ts';
import { freshSince, observationMs } from '../../logic/steps/within-deadline.ts';
import type { OpenCluster } from '../../ports/cluster.ts';
import type { Launches } from '../../ports/launches.ts';

/** The plan, what the launch has so far, and how this state pauses. */
export const PollHostIPInput = z.extend(LaunchPlan, {
  service: z.optional(LaunchState.shape.service),
  nodePort: z.optional(LaunchState.shape.nodePort),
  pod: z.extend(LaunchState.shape.pod, LookPause.shape),
});
/** Becomes `$.placement`; `$.placement.seen` has it whole. */
export const PollHostIPOutput = z.extend(z.omit(LaunchState.shape.placement, { seen: true }), PodTimes.shape);

interface PollHostIPDeps extends MonitorDeps, OnClusterDeps {
  launches: MonitorDeps['launches'] & OnClusterDeps['launches'] & Pick<Launches, 'notePodState'>;
  openCluster: OpenCluster;
}

/**
 * Reads the address of the launch's Pod. Waits until the cluster has reported it, and judges the Pod meanwhile. Writes
 * only the signal and the Pod's state in the launch's record.
 *
 * @throws PendingError PlacementPending; TransientError, ClusterAwayError; TerminalError and RelaunchError as `judgePod` says;
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

  return await onClusterWithinDeadline(deps, input, deadline, async () => {
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
      return { host: choice.host, resourceVersion, placedAtEpochMs: deps.nowEpochMs(), ...podTimesOf(pod) };
    });
    if (answer !== undefined) return answer;
    const { detail = 'the look was ended', subject: last = subject, pod, signal } = conclusion ?? {};
    await notePodState(deps, input, deadline.sinceEpochMs, record, async () => pod);
    const missing = pod && missingAddress(pod, input);
    const words = missing === undefined ? detail : `${missing}; ${detail}`;
    throw await moveForRoomOr(deps, input, signal, new PendingError('PlacementPending', words, last));
  });
}

/**
 * Reads the present state first, because an adopted Pod may already have its address, and may then never change again.
 */
function sinceCreation({ pod }: z.infer<typeof PollHostIPInput>, nowEpochMs: number): { since?: string } {
  return pod.made?.isNew === true ? freshSince(pod.resourceVersion, pod.createdAtEpochMs, nowEpochMs) : {};
}
