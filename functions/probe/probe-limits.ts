/**
 * The limits of a function that a schedule starts each minute: a loop begins its last look just before the next loop
 * begins. A call without an answer within 2 s is a failure. Three failures in a row take 6 s, after a pause of at most
 * 2 s. So davit finds a frozen server disconnected within 8 s, or within 10 s if the next loop begins 2 s late.
 */
export const probeLimits = { totalMs: 60_000, patience: { callMs: 2000, silenceMs: 10_000, pauseMs: 250 } } as const;
