import type { AttributedEnding, Ending, EndOptions, LaunchRecord } from '../../core/launch/launch-record.ts';
import type { LaunchId } from '../../core/launch/names.ts';
import type { Executions } from '../../ports/executions.ts';
import type { InvokeLater } from '../../ports/invoke-later.ts';
import type { Launches } from '../../ports/launches.ts';

/** The dependencies of ending a launch. */
export interface EndLaunchDeps {
  launches: Pick<Launches, 'end'>;
  executions: Pick<Executions, 'stop'>;
  invokeLater: InvokeLater<'clean-up'>;
}

/** The record in effect, and whether the launch was already over. */
export interface EndedLaunch {
  record: LaunchRecord;
  duplicate: boolean;
}

/**
 * Ends a launch, whatever state it is in: marks it, requests its clean-up, stops its execution. Repeatable; each repeat
 * finishes what an earlier one left undone. Without a repeat (GitHub does not redeliver a webhook by itself), the
 * launch is `cleaning`, and the next sweep finishes it.
 *
 * The mark comes first. A step in flight creates its object and then reads the record:
 *
 *     mark ── clean up ── stop        either the step reads the mark and removes what it made itself,
 *      └ step: create ── read         or it read before the mark, and the clean-up finds what it made.
 *
 * If the clean-up came before the mark, a step could create its object after the clean-up had looked, and then read a
 * live record. If the stop came before the clean-up's request, a crash in between would prevent the request. An
 * execution that is not stopped finds the mark at its next step, and ends.
 *
 * @param options which launches to leave alone; for such a launch, does nothing and returns its live record
 * @returns undefined when there is no such launch
 * @throws TransientError when a service did not answer; a repeat finishes the work
 */
export async function endLaunch(
  deps: EndLaunchDeps,
  launchId: LaunchId,
  ending: AttributedEnding,
  options: EndOptions = {},
): Promise<EndedLaunch | undefined> {
  const record = await deps.launches.end(launchId, ending, options);
  if (record === undefined) return undefined;
  if (record.status === 'cleaning') {
    await deps.invokeLater('clean-up', { launchId });
    await deps.executions.stop(launchId, ending.message);
  }
  return { record, duplicate: !isSameEnding(record.ending, ending) };
}

function isSameEnding(one: Ending | undefined, other: Ending): boolean {
  return one?.by === other.by && one.atEpochMs === other.atEpochMs;
}
