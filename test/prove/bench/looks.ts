import type { Look } from '../../../scripts/statemachine/waits.ts';
import type { StateEvent } from '../on-cluster/messages.ts';

const ends: ReadonlySet<string> = new Set(['left', 'failed']);

/**
 * Reads a state's attempts from a launch's events. Each attempt occupies a function from its scheduling until its end.
 *
 * @returns milliseconds since the first attempt; an attempt under way lasts until `nowEpochMs`
 */
export function looksIn(events: readonly StateEvent[], state: string, nowEpochMs: number): Look[] {
  const looks: Look[] = [];
  let begunEpochMs: number | undefined;
  let scheduledEpochMs: number | undefined;
  const end = (atEpochMs: number) => {
    if (scheduledEpochMs === undefined || begunEpochMs === undefined) return;
    looks.push({ startMs: scheduledEpochMs - begunEpochMs, endMs: atEpochMs - begunEpochMs });
    scheduledEpochMs = undefined;
  };
  for (const event of events) {
    if (event.state !== state) continue;
    if (event.type === 'attempted') {
      scheduledEpochMs = event.atEpochMs;
      begunEpochMs ??= event.atEpochMs;
    }
    if (ends.has(event.type)) end(event.atEpochMs);
  }
  end(nowEpochMs);
  return looks;
}
