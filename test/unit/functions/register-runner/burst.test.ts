import { registerBurst } from '../../../support/register-burst.ts';

const beginsAtEpochMs = 1_900_000_000_000;

describe('a burst of agents at a GitHub with its limits', () => {
  test('200 at the end of a minute are registered within 90 s, each once, beside reconcile, and no request is refused', async () => {
    const burst = await registerBurst({ agents: 200, beginsAtEpochMs: beginsAtEpochMs + 59_100, reads: true });

    expect(burst).toMatchObject({ runners: 200, refusals: 0 });
    expect(burst.registeredAfterMs.at(-1)).toBeLessThanOrEqual(90_000);
    expect(burst.asks).toBeLessThan(200 * 4);
  });

  test('500 are registered long before their connect deadline, and no request is refused', async () => {
    const burst = await registerBurst({ agents: 500, beginsAtEpochMs });

    expect(burst).toMatchObject({ runners: 500, refusals: 0 });
    expect(burst.registeredAfterMs.at(-1)).toBeLessThanOrEqual(210_000);
  });

  test('without a pace, GitHub refuses', async () => {
    const burst = await registerBurst({ agents: 200, beginsAtEpochMs, isPaced: false });

    expect(burst.refusals).toBeGreaterThan(20);
  });
});
