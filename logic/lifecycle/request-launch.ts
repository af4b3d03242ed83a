import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import type { LaunchPlan } from '../../core/launch/launch-state.ts';
import { newRecord } from '../../core/launch/plan-launch.ts';
import type { Executions } from '../../ports/executions.ts';
import type { Launches } from '../../ports/launches.ts';

interface RequestLaunchDeps {
  launches: Pick<Launches, 'request'>;
  executions: Pick<Executions, 'start'>;
}

/** The record in effect, and whether the launch existed before. */
export interface RequestedLaunch {
  record: LaunchRecord;
  duplicate: boolean;
}

/**
 * Requests a launch: writes its record, then starts its execution. The record decides which of several callers is the
 * first. Its plan is the execution's input, so every caller starts the same execution.
 *
 * A duplicate starts the execution too while the launch is `launching`: the first caller may have died in between.
 *
 * Step Functions refuses a start for two reasons, and its answer does not tell which. Either the execution is over: the
 * launch has ended meanwhile, or its job id was used more than 14 days ago (records are kept so long, executions' names
 * for 90 days). Or the execution runs with other input: during a deployment, another version of davit reads the plan
 * with other fields, and was first. Such a launch must go on. So this function leaves every refused launch as it is. The
 * sweep reads the execution's status, and ends the launch if its execution is over.
 *
 * @param given the caller's environment and labels for the Pod
 * @throws TransientError when a service did not answer; a repeat finishes the work
 */
export async function requestLaunch(
  deps: RequestLaunchDeps,
  plan: LaunchPlan,
  given: Pick<LaunchRecord, 'env' | 'labels'> = {},
): Promise<RequestedLaunch> {
  const { created, record } = await deps.launches.request(newRecord(plan, given));
  if (record.status === 'launching' && record.plan !== undefined) await deps.executions.start(record.plan);
  return { record, duplicate: !created };
}
