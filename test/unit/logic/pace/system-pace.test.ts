import * as fc from 'fast-check';
import { type RequestPurpose, slotOf, slotsAround } from '../../../../core/ci/request-pace.ts';
import { openStore } from '../../../../local/store/open-store.ts';
import { sqliteRequestPace } from '../../../../local/store/sqlite-request-pace.ts';
import { createSystemPace } from '../../../../logic/pace/system-pace.ts';
import type { RequestPace } from '../../../../ports/request-pace.ts';
import { testPace } from '../../../support/make-launch-deps.ts';

const beganAtEpochMs = 1_900_000_000_000;
const github = [{ name: 'github', provider: 'github' }] as const;

/** A step: a while passes, and a function asks. */
const Step = fc.record({
  afterMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 400 }), fc.integer({ min: 400, max: 20_000 })),
  asks: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom<RequestPurpose>('registration', 'retirement', 'doubt', 'kept') },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 90 }) },
  ),
  times: fc.integer({ min: 1, max: 60 }),
});

/** A request that was made, and what GitHub counts for it. */
interface Sent {
  atEpochMs: number;
  points: number;
}

/** @param sent in the order of time */
function mostInAMinute(sent: readonly Sent[]): number {
  let [first, points, most] = [0, 0, 0];
  for (const { atEpochMs, points: more } of sent) {
    points += more;
    for (; (sent[first]?.atEpochMs ?? atEpochMs) <= atEpochMs - 60_000; first += 1) points -= sent[first]?.points ?? 0;
    most = Math.max(most, points);
  }
  return most;
}

test('whatever functions ask for, and whenever a minute begins, no minute has more than 900 points', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(Step, { minLength: 10, maxLength: 120 }), async (steps) => {
      let nowEpochMs = beganAtEpochMs;
      const pace = testPace(github, () => nowEpochMs);
      const sent: Sent[] = [];
      for (const { afterMs, asks, times } of steps) {
        nowEpochMs += afterMs;
        if (typeof asks === 'number') {
          sent.push({ atEpochMs: nowEpochMs, points: 5 * (await pace.takeAhead('github', asks)) });
          continue;
        }
        for (let count = 0; count < times; count += 1) {
          const requests = asks === 'doubt' || asks === 'kept' ? { reads: 2 } : { writes: 1 };
          const points = asks === 'doubt' || asks === 'kept' ? 2 : 5;
          if ((await pace.take('github', asks, requests)) === undefined) sent.push({ atEpochMs: nowEpochMs, points });
        }
      }

      expect(mostInAMinute(sent)).toBeLessThanOrEqual(900);
    }),
    { numRuns: 25 },
  );
});

test('nor do they if all who ask at once have read before any of them has taken', async () => {
  const asks = fc.record({ afterMs: fc.integer({ min: 0, max: 30_000 }), times: fc.integer({ min: 1, max: 200 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(asks, { minLength: 1, maxLength: 30 }), async (steps) => {
      let nowEpochMs = beganAtEpochMs;
      let read: ReadonlyMap<number, number> = new Map();
      const stored = sqliteRequestPace(openStore(':memory:'));
      const requestPace: RequestPace = {
        take: (needed) => stored.take(needed),
        usedIn: async () => read,
        pause: (...given) => stored.pause(...given),
        pausedUntil: (ciSystem) => stored.pausedUntil(ciSystem),
      };
      const pace = createSystemPace({ ciSystems: github, requestPace, nowEpochMs: () => nowEpochMs });
      const sent: Sent[] = [];
      for (const { afterMs, times } of steps) {
        nowEpochMs += afterMs;
        read = await stored.usedIn('github', slotsAround(slotOf(nowEpochMs)));
        for (let count = 0; count < times; count += 1)
          if ((await pace.take('github', 'registration', { writes: 1 })) === undefined)
            sent.push({ atEpochMs: nowEpochMs, points: 5 });
      }

      expect(mostInAMinute(sent)).toBeLessThanOrEqual(900);
    }),
    { numRuns: 15 },
  );
});

test('90 requests that write are made at once after a quiet minute, and leave room for registrations', async () => {
  const pace = testPace(github, () => beganAtEpochMs);

  expect(await pace.takeAhead('github', 90)).toBe(90);
  for (let count = 0; count < 8; count += 1) {
    expect(await pace.take('github', 'registration', { writes: 1 })).toBeUndefined();
  }
});

test('none is made ahead while a registration waits', async () => {
  const pace = testPace(github, () => beganAtEpochMs);
  for (let count = 0; count < 169; count += 1) await pace.take('github', 'registration', { writes: 1 });

  expect(await pace.takeAhead('github', 10)).toBe(0);
});

test('a CI system without a limit on the minute has room for everything', async () => {
  const pace = testPace([{ name: 'gitea', provider: 'gitea' }], () => beganAtEpochMs);

  for (let count = 0; count < 100; count += 1) {
    expect(await pace.take('gitea', 'registration', { writes: 1 })).toBeUndefined();
  }
  expect(await pace.takeAhead('gitea', 500)).toBe(500);
});
