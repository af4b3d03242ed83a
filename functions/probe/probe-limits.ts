/**
 * The limits of a function with a time-out of 70 s that a schedule starts each minute: a loop begins its last
 * look just before the next loop begins. A call without an answer within 2 s is a failure. Three in a row take 6 s, after a
 * pause of at most 2 s, so davit disconnects a frozen server within 8 s, and has 2 s for a loop that begins late.
 */
export const probeLimits = {
  totalMs: 60_000,
  patience: { callMs: 2000, silenceMs: 10_000, pauseMs: 250 },
} as const;
