import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after the time, or at once when the signal is aborted. */
export async function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
