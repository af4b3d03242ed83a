import { PendingError, TerminalError } from '../domain/errors.ts';
import { LaunchPlan, LaunchState } from '../domain/launch-state.ts';
import { chooseHost, isToldByNode, missingAddress } from '../domain/read-address.ts';
import type { OpenCluster } from '../ports/cluster.ts';
import { heedPod } from '../steps/heed-pod.ts';
import type { HeedDeps } from '../steps/heed-verdicts.ts';
import { freshSince, observationMs, withinDeadline } from '../steps/within-deadline.ts';
import * as z from '../zod.ts';

/** The plan, and the Pod that CreatePod made. */
export const PollHostIPInput = z.extend(LaunchPlan, { pod: LaunchState.shape.pod });
/** Becomes `$.placement`. */
export const PollHostIPOutput = LaunchState.shape.placement;

/** What PollHostIP needs. */
export interface PollHostIPDeps extends HeedDeps {
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
  const about = { launchId, cluster, namespace, pod: agentName };
  const deadline = {
    step: 'PollHostIP',
    sinceEpochMs: input.pod.createdAtEpochMs,
    seconds: input.deadlines.placementSeconds,
    code: 'PlacementDeadlineExceeded',
  } as const;

  return await withinDeadline(deadline, deps.nowEpochMs, async () => {
    const { pods, nodes, reports } = await deps.openCluster(cluster);
    const heeder = heedPod(deps, { pods, reports }, input, about);
    const now = deps.nowEpochMs();
    const options = {
      forMs: observationMs(deadline, now),
      ...freshSince(input.pod.resourceVersion, input.pod.createdAtEpochMs, now),
    };
    for await (const pod of pods.observe(namespace, agentName, options)) {
      await heeder.see(pod);
      if (pod === undefined) continue;
      const { nodeName } = pod.spec;
      const node = nodeName && isToldByNode(input) ? await nodes.get(nodeName) : undefined;
      const choice = chooseHost(pod, input, node);
      if (choice?.host !== undefined) {
        const { resourceVersion } = pod.metadata;
        return { host: choice.host, resourceVersion, placedAtEpochMs: deps.nowEpochMs() };
      }
      if (choice !== undefined) throw new TerminalError('HostAddressMissing', choice.says, about);
    }
    const { says, about: subject, pod } = await heeder.conclude();
    const missing = pod && missingAddress(pod, input);
    throw new PendingError('PlacementPending', missing === undefined ? says : `${missing}; ${says}`, subject);
  });
}
