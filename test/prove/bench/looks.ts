import type { Look } from '../../../scripts/statemachine/waits.ts';
import type { StateEvent } from '../on-cluster/messages.ts';
import type { Interval } from './statistics.ts';

/** The time from each of a launch's invocations to its answer; one under way never ends. */
export function attemptsIn(events: readonly StateEvent[]): (Interval & Pick<StateEvent, 'state'>)[] {
  return events.flatMap(({ type, state, atEpochMs }, index) => {
    if (type !== 'attempted') return [];
    const isEnd = (event: StateEvent) => event.state === state && (event.type === 'left' || event.type === 'failed');
    const endEpochMs = events.slice(index).find(isEnd)?.atEpochMs ?? Number.POSITIVE_INFINITY;
    return [{ state, startEpochMs: atEpochMs, endEpochMs }];
  });
}

/**
 * Reads a state's attempts from a launch's events. Each attempt occupies a function from its scheduling until its end.
 *
 * @returns milliseconds since the first attempt; an attempt under way lasts until `nowEpochMs`
 */
export function looksIn(events: readonly StateEvent[], state: string, nowEpochMs: number): Look[] {
  const attempts = attemptsIn(events).filter((attempt) => attempt.state === state);
  const begunEpochMs = attempts[0]?.startEpochMs ?? nowEpochMs;
  return attempts.map(({ startEpochMs, endEpochMs }) => ({
    startMs: startEpochMs - begunEpochMs,
    endMs: Math.min(endEpochMs, nowEpochMs) - begunEpochMs,
  }));
}
