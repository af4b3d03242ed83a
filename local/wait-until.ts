import { clockSetBackMs } from '../core/clock-set-back.ts';

/**
 * Returns how long to wait until a moment that davit has kept, in milliseconds. No wait that davit keeps is longer than three
 * minutes: a moment that is further ahead was kept before somebody set the clock back, and is past.
 */
export function waitUntil(dueAtEpochMs: number, nowEpochMs: number): number {
  const waitMs = dueAtEpochMs - nowEpochMs;
  return waitMs > clockSetBackMs ? 0 : Math.max(0, waitMs);
}
