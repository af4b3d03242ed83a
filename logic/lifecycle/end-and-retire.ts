import { isEndedByItsJob } from '../../core/job/job-ending.ts';
import type { AttributedEnding, EndOptions, LaunchRecord } from '../../core/launch/launch-record.ts';
import { leftRunnerOf } from '../../core/launch/left-runner.ts';
import type { LaunchId } from '../../core/launch/names.ts';
import type { InvokeLater } from '../../ports/invoke-later.ts';
import { type EndedLaunch, type EndLaunchDeps, endLaunch } from './end-launch.ts';

/** The dependencies for ending a launch whose runner may still be in its CI system. */
export interface EndAndRetireDeps extends EndLaunchDeps {
  invokeLater: InvokeLater<'clean-up' | 'retire-runner'>;
}

/**
 * Ends a launch, and requests the removal of the runner that it leaves in its CI system.
 *
 * @returns as `endLaunch`
 * @throws as `endLaunch`
 */
export async function endAndRetire(
  deps: EndAndRetireDeps,
  launchId: LaunchId,
  ending: AttributedEnding,
  options: EndOptions = {},
): Promise<EndedLaunch | undefined> {
  const ended = await endLaunch(deps, launchId, ending, options);
  if (ended !== undefined) await askForRetirement(deps, ended.record);
  return ended;
}

/**
 * Requests the removal of a runner that a launch leaves behind. A runner that ran a job is removed by its CI system. If
 * no caller repeats a failed request, the next reconcile finds the runner.
 *
 * @throws TransientError StoreUnavailable
 */
export async function askForRetirement(
  { invokeLater }: { invokeLater: InvokeLater<'retire-runner'> },
  record: LaunchRecord,
): Promise<void> {
  const { launchId, ending } = record;
  if (ending === undefined || leftRunnerOf(record) === undefined || isEndedByItsJob(record)) return;
  const { message: reason, by, actor = { kind: 'davit', name: by } } = ending;
  await invokeLater('retire-runner', { launchId, reason, by, actor });
}
