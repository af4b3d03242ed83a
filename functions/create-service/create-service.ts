import { agentService } from '../../core/agent/agent-objects.ts';
import { LaunchState } from '../../core/launch/execution-state.ts';
import { LaunchPlan } from '../../core/launch/launch-state.ts';
import * as z from '../../core/zod.ts';
import { createOnce } from '../../logic/steps/create-once.ts';
import { createWithinDeadlines } from '../../logic/steps/create-within-deadlines.ts';
import type { StepDeps } from '../../logic/steps/on-cluster.ts';

/** The plan of an exposed launch: no other launch gets a Service. */
export const CreateServiceInput = z.extend(LaunchPlan, { expose: z.literal('nodePort') });
/** Becomes `$.service`. */
export const CreateServiceOutput = LaunchState.shape.service;

/**
 * Creates the launch's NodePort Service, before anything that could use its port exists (QB-4267). Safe to repeat.
 *
 * @throws PendingError QuotaExceeded, NodePortRangeFull; TransientError; TerminalError as `createOnce`, and
 *   ServiceDeadlineExceeded, QuotaDeadlineExceeded, NodePortRangeDeadlineExceeded
 */
export async function createService(
  deps: StepDeps,
  plan: z.infer<typeof CreateServiceInput>,
): Promise<z.infer<typeof CreateServiceOutput>> {
  const { launchId, agentName: service, cluster: clusterName, namespace } = plan;
  const deadline = {
    step: 'CreateService',
    sinceEpochMs: plan.startedAtEpochMs,
    seconds: plan.deadlines.serviceSeconds,
    code: 'ServiceDeadlineExceeded',
  } as const;

  return await createWithinDeadlines(deps, plan, deadline, async () => {
    const cluster = await deps.openCluster(clusterName);
    const subject = { launchId, cluster: clusterName, namespace, service };
    const { object } = await createOnce(cluster.services, deps.launches, launchId, agentService(plan), subject);
    return { uid: object.metadata.uid, createdAtEpochMs: deps.nowEpochMs() };
  });
}
