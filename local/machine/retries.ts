import type { Retrier } from './definition.ts';

/** Says whether errors that a Retry or a Catch names include this one. `States.ALL` names every error. */
export function matches(names: readonly string[], error: string): boolean {
  return names.some((name) => name === error || name === 'States.ALL');
}

/**
 * Chooses the pause before a repetition, in milliseconds.
 *
 * @param used how often this retrier has been used before, in this stay in its state
 * @param random returns 0 to 1; it is called only for a pause with jitter
 */
export function pauseMs(
  { IntervalSeconds, BackoffRate, MaxDelaySeconds, JitterStrategy }: Retrier,
  used: number,
  random: () => number,
): number {
  const mostMs = Math.min(IntervalSeconds * BackoffRate ** used, MaxDelaySeconds ?? Infinity) * 1000;
  return JitterStrategy === 'FULL' ? random() * mostMs : mostMs;
}
