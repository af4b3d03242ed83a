import { isoTime } from '../../core/epoch-ms.ts';
import type { RunnerDetails } from './answers.ts';

const begin = 'davit: no new job since ';

/** Writes the maintenance note of a runner that davit pauses: so GitLab keeps since when. */
export function stopNote(atEpochMs: number): string {
  return `${begin}${isoTime(atEpochMs)}`;
}

/** Says whether davit has paused a runner, and somebody has brought it back. */
export function isBroughtBack({ paused, maintenance_note: note }: RunnerDetails): boolean {
  return !paused && note?.startsWith(begin) === true;
}

/** Reads since when davit has paused a runner. @returns undefined when it has not, or somebody has brought it back */
export function stoppedAtOf({ paused, maintenance_note: note }: RunnerDetails): number | undefined {
  if (!paused || !note?.startsWith(begin)) return undefined;
  const atEpochMs = Date.parse(note.slice(begin.length));
  return Number.isNaN(atEpochMs) ? undefined : atEpochMs;
}
