import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until the delay is over or `signal` aborts. @returns false if `signal` aborted the wait */
export function pause(delayMs: number, signal: AbortSignal): Promise<boolean> {
  return sleep(delayMs, true, { signal }).catch(() => false);
}
