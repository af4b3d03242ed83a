import { PendingError, RelaunchError } from '../domain/errors.ts';
import { LaunchState, LookPause } from '../domain/execution-state.ts';
import { LaunchPlan } from '../domain/launch-state.ts';
import { nodePortOf } from '../domain/read-address.ts';
import type { OpenCluster } from '../ports/cluster.ts';
import { placementPace } from '../steps/look.ts';
import { type OnClusterDeps, onClusterWithinDeadline } from '../steps/on-cluster.ts';
import { observationMs } from '../steps/within-deadline.ts';
import * as z from '../zod.ts';

/** The plan, the Service that CreateService made, and how this state pauses. */
export const PollNodePortInput = z.extend(LaunchPlan, {
  service: z.extend(LaunchState.shape.service, LookPause.shape),
});
/** Becomes `$.nodePort`. */
export const PollNodePortOutput = LaunchState.shape.nodePort;

/** The dependencies of PollNodePort. */
export interface PollNodePortDeps extends OnClusterDeps {
  openCluster: OpenCluster;
}

/**
 * Reads the port that the cluster allocated for the launch's Service; waits if the allocation is slow. Read-only but
 * for the signal in the launch's record.
 *
 * @throws PendingError NodePortPending; TransientError, ClusterAwayError; RelaunchError DeletedExternally; TerminalError
 *   NodePortDeadlineExceeded
 */
export async function pollNodePort(
  deps: PollNodePortDeps,
  input: z.infer<typeof PollNodePortInput>,
): Promise<z.infer<typeof PollNodePortOutput>> {
  const { launchId, agentName: service, cluster: clusterName, namespace } = input;
  const subject = { launchId, cluster: clusterName, namespace, service };
  const deadline = {
    step: 'PollNodePort',
    sinceEpochMs: input.service.createdAtEpochMs,
    seconds: input.deadlines.nodePortSeconds,
    code: 'NodePortDeadlineExceeded',
  } as const;

  return await onClusterWithinDeadline(deps, input, deadline, async () => {
    const { services } = await deps.openCluster(clusterName);
    const forMs = observationMs(deadline, placementPace, input, input.service.lookPauseSeconds, deps.nowEpochMs());
    for await (const seen of services.observe(namespace, service, { forMs })) {
      if (seen?.metadata.uid !== input.service.uid || seen.metadata.deletionTimestamp !== undefined) {
        throw new RelaunchError('DeletedExternally', 'the Service was deleted or replaced', subject);
      }
      const port = nodePortOf(seen, input.agentPort);
      if (port !== undefined) return { port, readAtEpochMs: deps.nowEpochMs() };
    }
    throw new PendingError('NodePortPending', 'the Service has no nodePort', subject);
  });
}
