import { PendingError, TerminalError } from '../domain/errors.ts';
import { LaunchPlan, LaunchState, LookPause } from '../domain/launch-state.ts';
import { nodePortOf } from '../domain/read-address.ts';
import type { OpenCluster } from '../ports/cluster.ts';
import { placementPace } from '../steps/look.ts';
import { observationMs, withinDeadline } from '../steps/within-deadline.ts';
import * as z from '../zod.ts';

/** The plan, the Service that CreateService made, and how this state pauses. */
export const PollNodePortInput = z.extend(LaunchPlan, {
  service: z.extend(LaunchState.shape.service, LookPause.shape),
});
/** Becomes `$.nodePort`. */
export const PollNodePortOutput = LaunchState.shape.nodePort;

/** What PollNodePort needs. */
export interface PollNodePortDeps {
  openCluster: OpenCluster;
  nowEpochMs: () => number;
}

/**
 * Reads the port that the cluster allocated for the launch's Service; waits for it where that is slow. Read-only.
 *
 * @throws PendingError NodePortPending; TransientError; TerminalError DeletedExternally, NodePortDeadlineExceeded
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

  return await withinDeadline(deadline, deps.nowEpochMs, async () => {
    const { services } = await deps.openCluster(clusterName);
    const forMs = observationMs(deadline, placementPace, input, input.service.lookPauseSeconds, deps.nowEpochMs());
    for await (const seen of services.observe(namespace, service, { forMs })) {
      if (seen?.metadata.uid !== input.service.uid || seen.metadata.deletionTimestamp !== undefined) {
        throw new TerminalError('DeletedExternally', 'the Service was deleted or replaced', subject);
      }
      const port = nodePortOf(seen, input.agentPort);
      if (port !== undefined) return { port, readAtEpochMs: deps.nowEpochMs() };
    }
    throw new PendingError('NodePortPending', 'the Service has no nodePort', subject);
  });
}
