import { sleepUnlessAborted } from '../../functions/steps/sleep.ts';
import type { LiveDavit } from '../on-cluster/live-davit.ts';
import type { World } from './world.ts';

const retryMs = 200;
const usualPatienceMs = 90_000;

/**
 * Makes a call until it succeeds, as CI servers and people do: whoever it asks may be killed in the middle of it.
 *
 * @param what that which is tried, for the error: "its webhook is taken"
 * @param call gives undefined for an answer that asks to be asked again
 * @param patienceMs for how long
 * @throws what the world was given up for
 * @throws Error when it does not succeed for long, with the last attempt's error as its cause
 */
export async function persistently<Result>(
  world: Pick<World, 'davit' | 'over'>,
  what: string,
  call: (davit: LiveDavit) => Promise<Result | undefined>,
  patienceMs = usualPatienceMs,
): Promise<Result> {
  const deadlineMs = performance.now() + patienceMs;
  let cause: unknown;
  while (performance.now() < deadlineMs) {
    world.over.throwIfAborted();
    try {
      const result = await call(await world.davit());
      if (result !== undefined) return result;
    } catch (error) {
      cause = error;
    }
    await sleepUnlessAborted(retryMs, world.over);
  }
  throw new Error(`${patienceMs / 1000} s long, it was not so: ${what} (${String(cause)})`, { cause });
}
