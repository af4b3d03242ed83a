import { setTimeout as sleep } from 'node:timers/promises';

const shortestPauseMs = 20;
const longestPauseMs = 100;

/**
 * Polls until a value is there. A pause is a tenth of the wait so far, because a look may invoke a function.
 *
 * @param what the awaited fact, for the error: "node-1 is Ready"
 * @param look returns undefined or false while it is too early; the error of the last attempt becomes the cause
 * @throws Error when it takes too long
 */
export async function until<T>(what: string, forMs: number, look: () => Promise<T | undefined | false>): Promise<T> {
  const beganMs = performance.now();
  let cause: unknown;
  for (;;) {
    try {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    const waitedMs = performance.now() - beganMs;
    if (waitedMs >= forMs) throw new Error(`after ${forMs / 1000} s, still not true: ${what}`, { cause });
    await sleep(Math.min(longestPauseMs, Math.max(shortestPauseMs, waitedMs / 10)));
  }
}
