import * as fc from 'fast-check';
import { addToSpent, RateSpent, ratePause } from '../../../../core/ci/rate-budget.ts';

const startedAt = Date.parse('2026-11-22T12:00:00Z');
const resetsAtEpochMs = startedAt + 3_600_000;
const minuteMs = 60_000;

function spentWith(given: Partial<RateSpent>): RateSpent {
  return { limit: 5000, resetsAtEpochMs, used: 0, atEpochMs: startedAt, ...given };
}

describe('reconciliation may send requests', () => {
  test.each([
    ['if nothing is known', undefined],
    ['if there is no limit', { resetsAtEpochMs, used: 10_000, atEpochMs: startedAt }],
    // A quarter of 5000 is 1250 an hour: 104.2 in five minutes, in advance.
    ['in advance, for five minutes', spentWith({ used: 104 })],
    ['in a new window', spentWith({ used: 5000, resetsAtEpochMs: startedAt })],
    ['when its pause ends now', spentWith({ pausedUntilEpochMs: startedAt })],
  ])('%s', (_when, spent) => {
    expect(ratePause(spent, 0.25, startedAt)).toBeUndefined();
  });
});

describe('reconciling waits', () => {
  test('until it has earned what it spent', () => {
    const spent = spentWith({ used: 250 });

    expect(ratePause(spent, 0.25, startedAt + 6 * minuteMs)).toEqual({
      untilEpochMs: startedAt + 7 * minuteMs,
      reason: 'reconciling has made 250 requests, its share of the rate limit of 5000 an hour is 0.25',
    });
    expect(ratePause(spent, 0.25, startedAt + 7 * minuteMs)).toBeUndefined();
  });

  test('until the window ends, at most', () => {
    expect(ratePause(spentWith({ used: 4000 }), 0.25, startedAt)?.untilEpochMs).toBe(resetsAtEpochMs);
  });

  test('as long as the CI system demands', () => {
    const spent = spentWith({ pausedUntilEpochMs: startedAt + 1 });

    expect(ratePause(spent, 1, startedAt)).toEqual({
      untilEpochMs: startedAt + 1,
      reason: 'the CI system accepts no requests',
    });
  });
});

test('rounds of any cost, once a minute, never use more than their share and one round in an hour', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 600 }), fc.double({ min: 0.05, max: 1, noNaN: true }), (cost, share) => {
      let spent: RateSpent | undefined;
      const limit = { requests: 5000, resetsAtEpochMs };
      for (let minute = 0; minute < 60; minute += 1) {
        const now = startedAt + minute * minuteMs;
        if (ratePause(spent, share, now) === undefined) spent = addToSpent(spent, { requests: cost, limit }, now);
      }

      expect(spent?.used).toBeLessThanOrEqual(5000 * share * (1 + 5 / 60) + cost);
    }),
  );
});

describe('the spent requests', () => {
  test('are read as they were written', () => {
    const spent = spentWith({ used: 9, pausedUntilEpochMs: startedAt + 1 });

    expect(RateSpent.parse(spent)).toEqual(spent);
  });

  test('add up within a window, whatever window a later answer names', () => {
    const limit = { requests: 5000, resetsAtEpochMs };

    const first = addToSpent(undefined, { requests: 10, limit }, startedAt);
    const second = addToSpent(
      first,
      { requests: 20, limit: { ...limit, resetsAtEpochMs: resetsAtEpochMs + 1 } },
      startedAt + 1,
    );

    expect(second).toStrictEqual({ limit: 5000, resetsAtEpochMs, used: 30, atEpochMs: startedAt + 1 });
  });

  test('begin at zero with the next window', () => {
    const limit = { requests: 5000, resetsAtEpochMs: resetsAtEpochMs + 3_600_000 };

    expect(addToSpent(spentWith({ used: 900 }), { requests: 20, limit }, resetsAtEpochMs)).toEqual({
      limit: 5000,
      resetsAtEpochMs: resetsAtEpochMs + 3_600_000,
      used: 20,
      atEpochMs: resetsAtEpochMs,
    });
  });

  test('are not counted without a limit, but a pause is kept', () => {
    expect(addToSpent(undefined, { requests: 20 }, startedAt)).toBeUndefined();
    expect(addToSpent(undefined, { requests: 20, pausedUntilEpochMs: startedAt + 9 }, startedAt)).toStrictEqual({
      resetsAtEpochMs: startedAt + 3_600_000,
      used: 20,
      pausedUntilEpochMs: startedAt + 9,
      atEpochMs: startedAt,
    });
  });

  test("keep the window's limit when a round is refused before any answer names it", () => {
    const refused = addToSpent(spentWith({ used: 9 }), { requests: 1, pausedUntilEpochMs: startedAt + 9 }, startedAt);

    expect(refused).toMatchObject({ limit: 5000, used: 10, pausedUntilEpochMs: startedAt + 9 });
  });
});
