import { PendingError, RelaunchError } from '../../core/errors/errors.ts';
import { LaunchState, LookPause } from '../../core/launch/execution-state.ts';
import { LaunchPlan } from '../../core/launch/launch-state.ts';
import { nodePortOf } from '../../core/pod/read-address.ts';
import * as z from '../../core/zod.ts';
import { placementPace } from '../../logic/steps/look.ts';
import { onClusterWithinDeadline, type StepDeps } from '../../logic/steps/on-cluster.ts';
import { observationMs } from '../../logic/steps/within-deadline.ts';

/** The plan, the Service that CreateService made, and how this state pauses. */
export const PollNodePortInput = z.extend(LaunchPlan, {
  service: z.extend(LaunchState.shape.service, LookPause.shape),
});
/** Becomes `$.nodePort`. */
export const PollNodePortOutput = LaunchState.shape.nodePort;

/**
 * Reads the port that the cluster allocated for the launch's Service; waits if the allocation is slow. Read-only but
 * for the signal in the launch's record.
 *
 * @throws PendingError NodePortPending; TransientError, ClusterAwayError; RelaunchError DeletedExternally; TerminalError
 *   NodePortDeadlineExceeded
 */
export async function pollNodePort(
  deps: StepDeps,
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
