import { TransientError } from '../../core/errors/errors.ts';
import type { AttributedEnding, EndOptions } from '../../core/launch/launch-record.ts';
import type { LaunchId } from '../../core/launch/names.ts';
import type { Launches } from '../../ports/launches.ts';
import { type EndedLaunch, type EndLaunchDeps, endLaunch } from './end-launch.ts';
import { tombstone } from './tombstone.ts';

/**
 * Ends the launch of a job that is over. Leaves a tombstone when there is no such launch, so that a late webhook starts
 * no agent for a job that is done. If the launch is requested between the look and the tombstone, ends that launch
 * instead.
 *
 * @param options which launches to leave alone; returns the live record of such a launch
 * @throws TransientError as `endLaunch`
 */
export async function endJob(
  deps: EndLaunchDeps & { launches: Pick<Launches, 'request'> },
  launchId: LaunchId,
  ending: AttributedEnding,
  options: EndOptions = {},
): Promise<EndedLaunch> {
  const ended = await endLaunch(deps, launchId, ending, options);
  if (ended !== undefined) return ended;

  const { created, record } = await deps.launches.request(tombstone(launchId, ending));
  if (created) return { record, duplicate: false };

  const endedAfterAll = await endLaunch(deps, launchId, ending, options);
  if (endedAfterAll !== undefined) return endedAfterAll;
  throw new TransientError('WriteConflict', "the launch's record came and went", { launchId });
}
