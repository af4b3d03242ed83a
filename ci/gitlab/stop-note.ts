import { isoTime } from '../../core/epoch-ms.ts';
import type { RunnerDetails } from './answers.ts';

const begin = 'davit: no new job since ';

/** The maintenance note of a runner that davit pauses now: it replaces that of an earlier pause. */
export const pausingNote = 'davit: no new job';

/** Writes the maintenance note of a runner that davit has paused: so GitLab keeps since when. */
export function stopNote(atEpochMs: number): string {
  return `${begin}${isoTime(atEpochMs)}`;
}

/**
 * Says whether a runner that davit has paused may get a job: somebody has brought it back, or davit has paused it once more
 * after that.
 *
 * @param settleMs how long a paused runner may still get a job, in milliseconds
 */
export function mayGetJob(runner: RunnerDetails, settleMs: number, nowEpochMs: number): boolean {
  if (runner.maintenance_note?.startsWith(pausingNote) !== true) return false;
  const sinceEpochMs = stoppedAtOf(runner);
  return sinceEpochMs === undefined || sinceEpochMs + settleMs > nowEpochMs;
}

/** Reads since when davit has paused a runner. @returns undefined when it has not, or somebody has brought it back */
export function stoppedAtOf({ paused, maintenance_note: note }: RunnerDetails): number | undefined {
  if (!paused || !note?.startsWith(begin)) return undefined;
  const atEpochMs = Date.parse(note.slice(begin.length));
  return Number.isNaN(atEpochMs) ? undefined : atEpochMs;
}
