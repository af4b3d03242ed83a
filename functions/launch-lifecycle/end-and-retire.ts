import { isEndedByItsJob } from '../domain/job-ending.ts';
import { type Ending, isLive, type LaunchRecord } from '../domain/launch-record.ts';
import { leftRunnerOf } from '../domain/left-runner.ts';
import type { LaunchId } from '../domain/names.ts';
import type { EndOptions } from '../ports/launches.ts';
import type { Retirements } from '../ports/retirements.ts';
import { type EndedLaunch, type EndLaunchDeps, endLaunch } from './end-launch.ts';

/** What ending a launch needs whose runner may be left in its CI system. */
export interface EndAndRetireDeps extends EndLaunchDeps {
  retirements: Retirements;
}

/**
 * Ends a launch, and asks for the removal of the runner that it leaves in its CI system.
 *
 * @returns as `endLaunch`
 * @throws as `endLaunch`
 */
export async function endAndRetire(
  deps: EndAndRetireDeps,
  launchId: LaunchId,
  ending: Ending,
  options: EndOptions = {},
): Promise<EndedLaunch | undefined> {
  const ended = await endLaunch(deps, launchId, ending, options);
  if (ended !== undefined) await askForRetirement(deps, ended.record);
  return ended;
}

/**
 * Asks for the removal of a runner that a launch leaves behind. The job that an agent ran takes its runner along. If nobody
 * repeats a request that fails, the next reconcile finds the runner.
 *
 * @throws TransientError StoreUnavailable
 */
export async function askForRetirement(
  { retirements }: Pick<EndAndRetireDeps, 'retirements'>,
  record: LaunchRecord,
): Promise<void> {
  const { launchId, ending } = record;
  if (isLive(record) || ending === undefined) return;
  if (leftRunnerOf(record) === undefined || isEndedByItsJob(record)) return;
  await retirements.request({ launchId, reason: ending.message, by: ending.by });
}
