import { setTimeout as sleep } from 'node:timers/promises';

const lookMs = 20;
const patienceMs = 40_000;

/**
 * Looks again and again until there is something to see. It comes by itself; how long that takes is not what a test is
 * about.
 *
 * @param what is waited for, for the error
 * @throws Error when it does not come
 */
export async function eventually<Seen>(what: string, look: () => Promise<Seen | undefined>): Promise<Seen> {
  const over = AbortSignal.timeout(patienceMs);
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (over.aborted) throw new Error(`waited in vain for ${what}`);
    await sleep(lookMs);
  }
}
