import { setTimeout as sleep } from 'node:timers/promises';

const pauseMs = 20;

/**
 * Looks until there is what is looked for.
 *
 * @param what that which is waited for, for the error: "node-1 is Ready"
 * @param look gives undefined or false while it is too early; an error that it throws is the last word if time runs out
 * @throws Error when it takes too long
 */
export async function until<T>(what: string, forMs: number, look: () => Promise<T | undefined | false>): Promise<T> {
  const deadlineMs = performance.now() + forMs;
  let cause: unknown;
  for (;;) {
    try {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (performance.now() >= deadlineMs) throw new Error(`${forMs / 1000} s long, it was not so: ${what}`, { cause });
    await sleep(pauseMs);
  }
}
