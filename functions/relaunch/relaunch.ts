import { errorCodes, type RelaunchCode } from '../domain/error-codes.ts';
import { TerminalError } from '../domain/errors.ts';
import { LaunchPlan, LaunchState } from '../domain/launch-state.ts';
import { labelKeys } from '../domain/names.ts';
import { nextGeneration } from '../domain/plan-launch.ts';
import type { OpenCluster } from '../ports/cluster.ts';
import type { Launches } from '../ports/launches.ts';
import { readFailure, type StepFailure } from '../steps/read-failure.ts';
import { removeObjects } from '../steps/remove-objects.ts';
import * as z from '../zod.ts';

/** The plan, and why infrastructure took its Pod. */
export const RelaunchInput = z.extend(LaunchPlan, { failure: LaunchState.shape.failure });
/** The next generation's plan: it replaces all of the execution's data. */
export const RelaunchOutput = LaunchPlan;

/** What Relaunch needs. */
export interface RelaunchDeps {
  openCluster: OpenCluster;
  launches: Pick<Launches, 'relaunch'>;
  nowEpochMs: () => number;
}

/**
 * Begins a launch's next generation, under a new agent name, if the agent has not connected and relaunches are left.
 * Changes the record first: from then on the old agent's credential is void. So the old objects may take their time to
 * go, and a clean-up or a sweep finds them by the launch's label. Removes only the old generation's objects, so that a
 * late attempt takes nothing from a later generation. Safe to repeat.
 *
 * @throws TransientError; TerminalError with the failure's code when no relaunch is left, the agent has connected, or
 *   the launch is over
 */
export async function relaunch(
  deps: RelaunchDeps,
  { failure, ...plan }: z.infer<typeof RelaunchInput>,
): Promise<z.infer<typeof RelaunchOutput>> {
  const { launchId, agentName, cluster, namespace } = plan;
  const ended = readFailure(failure);
  if (plan.generation > plan.maxRelaunches) throw refused(ended, `it was launched ${timesOf(plan.generation)}`);
  const nowEpochMs = deps.nowEpochMs();
  const next = nextGeneration(plan, nowEpochMs);
  const record = await deps.launches.relaunch(next, { agentName, ...ended, endedAtEpochMs: nowEpochMs });
  if (record?.status !== 'launching' || record.plan?.generation !== next.generation) {
    throw refused(ended, `the launch is ${record?.status ?? 'forgotten'}`);
  }
  const ofThisGeneration = { [labelKeys.launchId]: launchId, [labelKeys.agentName]: agentName };
  await removeObjects(await deps.openCluster(cluster), namespace, ofThisGeneration);
  return record.plan;
}

/** The failure's own message has the names. The reason comes first, so that a cut never loses it. */
function refused({ code, message }: StepFailure, why: string): TerminalError {
  const detail = `not launched again: ${why}; at last: ${message.replace(`${code}: `, '')}`;
  return new TerminalError(isRelaunchCode(code) ? code : 'Unexpected', detail);
}

function timesOf(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function isRelaunchCode(code: StepFailure['code']): code is RelaunchCode {
  return errorCodes[code].family === 'relaunch';
}
