import { TransientError } from '../domain/errors.ts';
import type { Ending, LaunchRecord } from '../domain/launch-record.ts';
import type { LaunchId } from '../domain/names.ts';
import { expiryOf } from '../domain/plan-launch.ts';
import type { CleanUps } from '../ports/clean-ups.ts';
import type { Executions } from '../ports/executions.ts';
import type { EndOptions, Launches } from '../ports/launches.ts';

/** What ending a launch needs. */
export interface EndLaunchDeps {
  launches: Pick<Launches, 'end'>;
  executions: Pick<Executions, 'stop'>;
  cleanUps: CleanUps;
}

/** What ending a job needs, whose launch may not have been asked for. */
export interface EndJobDeps extends EndLaunchDeps {
  launches: Pick<Launches, 'end' | 'request'>;
}

/** The record in effect, and whether the launch was over before this was asked. */
export interface EndedLaunch {
  record: LaunchRecord;
  duplicate: boolean;
}

/**
 * Ends a launch, whatever state it is in: marks it, requests its clean-up, stops its execution. Repeatable; each repeat
 * finishes what an earlier one left undone. If nobody repeats it (GitHub does not redeliver a webhook by itself), the
 * launch is `cleaning`, and the next sweep finishes it.
 *
 * The mark comes first. A step in flight creates its object and then reads the record:
 *
 *     mark ── clean up ── stop        either the step reads the mark and removes what it made itself,
 *      └ step: create ── read         or it read before the mark, and the clean-up finds what it made.
 *
 * If the clean-up came before the mark, a step could create its object after the clean-up had looked, and then read a
 * live record. If the stop came before the clean-up's request, a crash in between would leave nobody to request it. An
 * execution that is not stopped finds the mark at its next step, and ends.
 *
 * @param options which launches to leave alone; such a launch's record is live, and nothing else is done
 * @returns undefined when there is no such launch
 * @throws TransientError when a service did not answer; a repeat finishes what is half done
 */
export async function endLaunch(
  deps: EndLaunchDeps,
  launchId: LaunchId,
  ending: Ending,
  options: EndOptions = {},
): Promise<EndedLaunch | undefined> {
  const record = await deps.launches.end(launchId, ending, options);
  if (record === undefined) return undefined;
  if (record.status === 'cleaning') {
    await deps.cleanUps.request(launchId);
    await deps.executions.stop(launchId, ending.message);
  }
  return { record, duplicate: !isSameEnding(record.ending, ending) };
}

/**
 * Ends the launch of a job that is over. Leaves a tombstone when there is no such launch, so that a late webhook starts
 * no agent for a job that is done. A launch that is requested between the look and the tombstone is ended instead.
 *
 * @throws TransientError as `endLaunch`
 */
export async function endJob(deps: EndJobDeps, launchId: LaunchId, ending: Ending): Promise<EndedLaunch> {
  const ended = await endLaunch(deps, launchId, ending);
  if (ended !== undefined) return ended;

  const { created, record } = await deps.launches.request(tombstone(launchId, ending));
  if (created) return { record, duplicate: false };

  const endedAfterAll = await endLaunch(deps, launchId, ending);
  if (endedAfterAll !== undefined) return endedAfterAll;
  throw new TransientError('WriteConflict', "the launch's record came and went", { launchId });
}

/** A tombstone has no plan, and nothing to clean up. */
function tombstone(launchId: LaunchId, ending: Ending): LaunchRecord {
  return {
    launchId,
    status: ending.outcome,
    ending,
    cleanedAtEpochMs: ending.atEpochMs,
    requestedAtEpochMs: ending.atEpochMs,
    expiresAtEpochSeconds: expiryOf(ending.atEpochMs),
  };
}

function isSameEnding(one: Ending | undefined, other: Ending): boolean {
  return one?.by === other.by && one.atEpochMs === other.atEpochMs;
}
