import { setTimeout as wait } from 'node:timers/promises';

/** A busy machine needs more time. */
const patienceMs = 60_000;
const pauseMs = 50;

/** Repeats assertions until they hold. @throws what they threw last, after a minute */
export async function eventually(assert: () => void | Promise<void>): Promise<void> {
  const deadlineMs = performance.now() + patienceMs;
  for (;;) {
    try {
      await assert();
      return;
    } catch (error) {
      if (performance.now() > deadlineMs) throw error;
    }
    await wait(pauseMs);
  }
}
