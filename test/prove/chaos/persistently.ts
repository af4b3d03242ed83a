import { sleepUnlessAborted } from '../../../logic/steps/sleep.ts';
import type { LiveDavit } from '../on-cluster/live-davit.ts';
import type { World } from './world.ts';

const retryMs = 200;
/** davit is down for as long as a busy machine takes to start it, again and again. */
const usualPatienceMs = 600_000;

/**
 * Makes a call until it succeeds, as CI servers and people do, because its server may be killed at any moment.
 *
 * @param what the awaited fact, for the error: "its webhook is taken"
 * @param call returns undefined to be called again
 * @param patienceMs the time limit
 * @throws the reason why the run was aborted
 * @throws Error when it does not succeed in time, with the last attempt's error as its cause
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
  throw new Error(`after ${patienceMs / 1000} s, still not true: ${what} (${String(cause)})`, { cause });
}
