import type { LaunchRecord } from '../domain/launch-record.ts';
import type { LaunchPlan } from '../domain/launch-state.ts';
import { newRecord } from '../domain/plan-launch.ts';
import type { Executions } from '../ports/executions.ts';
import type { Launches } from '../ports/launches.ts';
import type { EndLaunchDeps } from './end-launch.ts';
import { endLaunch } from './end-launch.ts';

/** What asking for a launch needs. */
export interface RequestLaunchDeps extends EndLaunchDeps {
  launches: Pick<Launches, 'request' | 'get' | 'end'>;
  executions: Executions;
  /** Reads the trace that the request belongs to; @default nothing is traced */
  traceHeader?: (() => string | undefined) | undefined;
  nowEpochMs: () => number;
}

/** The record in effect, and whether the launch had been asked for before. */
export interface RequestedLaunch {
  record: LaunchRecord;
  duplicate: boolean;
}

/**
 * Asks for a launch: writes its record, then starts its execution. The record decides which of several callers is the
 * first; its plan is the execution's input, so that whoever starts it starts the same one.
 *
 * A duplicate starts the execution too while the launch is `launching`: the first caller may have died in between.
 *
 * @param given what the caller gave for the Pod
 * @throws TransientError when a service did not answer; a repeat mends what is half done
 */
export async function requestLaunch(
  deps: RequestLaunchDeps,
  plan: LaunchPlan,
  given: Pick<LaunchRecord, 'env' | 'labels'> = {},
): Promise<RequestedLaunch> {
  const { created, record } = await deps.launches.request(newRecord(plan, given));
  if (record.status !== 'launching' || record.plan === undefined) return { record, duplicate: !created };
  const started = await deps.executions.start(record.plan);
  if (started || !created) return { record, duplicate: !created };
  return { record: await endUnstartable(deps, record), duplicate: true };
}

/**
 * Ends a new launch whose execution was refused because the name was used. Step Functions keeps names for 90 days,
 * records are kept for 14: the job is an old one's repeat. It is read again first, because a duplicate may have started
 * the execution, and that may have come to its end, since this caller wrote the record.
 */
async function endUnstartable(deps: RequestLaunchDeps, created: LaunchRecord): Promise<LaunchRecord> {
  const { launchId } = created;
  const current = await deps.launches.get(launchId);
  if (current?.status !== 'launching') return current ?? created;
  const ended = await endLaunch(deps, launchId, {
    outcome: 'failed',
    code: 'Unexpected',
    message: `an execution named ${launchId} ended before this launch was asked for: use a new job id`,
    by: 'StartExecution',
    atEpochMs: deps.nowEpochMs(),
  });
  return ended?.record ?? created;
}
