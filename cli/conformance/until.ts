import { sleepUnlessAborted } from '../../logic/steps/sleep.ts';
import type { TestedCluster } from './tested-cluster.ts';

/** How long to wait for a cluster. */
export interface Waiting extends Pick<TestedCluster, 'waitMs'> {
  signal: AbortSignal;
}

const pauseMs = 200;

/**
 * Repeats a read until it returns something.
 *
 * @returns undefined when the time is over
 * @throws what `read` throws, and the signal's reason when it is aborted
 */
export async function until<Result>(
  { waitMs, signal }: Waiting,
  read: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  const endMs = performance.now() + waitMs;
  for (;;) {
    signal.throwIfAborted();
    const result = await read();
    if (result !== undefined || performance.now() >= endMs) return result;
    await sleepUnlessAborted(pauseMs, signal);
  }
}

/** Says the time of a wait: `60 s`. */
export function waitWords({ waitMs }: Pick<Waiting, 'waitMs'>): string {
  return `${Math.round(waitMs / 1000)} s`;
}
