import type { CiClocks } from '../../ports/ci-clocks.ts';

/** The least change that is written, in milliseconds: answers have their time to the second, and take a moment. */
const leastChangeMs = 5000;

/**
 * Notes how far a CI system's clock is ahead: the webhook function tells by it how old an event is.
 *
 * @param aheadMs undefined if the CI system's answers had no time
 * @throws TransientError StoreUnavailable
 */
export async function keepClock(ciClocks: CiClocks, ciSystem: string, aheadMs: number | undefined): Promise<void> {
  if (aheadMs === undefined) return;
  const before = (await ciClocks.get(ciSystem)) ?? 0;
  if (Math.abs(aheadMs - before) >= leastChangeMs) await ciClocks.keep(ciSystem, aheadMs);
}
