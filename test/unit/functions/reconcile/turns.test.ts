import { inTurns } from '../../../../functions/reconcile/turns.ts';

const firstRoundEpochMs = Date.parse('2026-11-24T10:00:00Z');

/** The things that rounds have asked for, when the budget of requests leaves only one round in some minutes. */
function askedFor(count: number, minutes: number, rounds: number): Set<number> {
  const things = Array.from({ length: count }, (_, index) => index);
  const moments = Array.from({ length: rounds }, (_, round) => firstRoundEpochMs + round * minutes * 60_000);
  return new Set(moments.flatMap((nowEpochMs) => inTurns(things, nowEpochMs)));
}

test('a round asks for everything when that is little, and never for more than 25 things or for one twice', () => {
  expect(askedFor(25, 1, 1).size).toBe(25);
  expect(askedFor(26, 1, 1).size).toBe(25);
});

test.each([1, 2, 3, 4, 5, 10, 20])('every thing has its turn, also when rounds are %i minutes apart', (minutes) => {
  for (const count of [26, 50, 75, 100, 137, 250, 500]) {
    expect([count, askedFor(count, minutes, Math.ceil(count / 5)).size]).toEqual([count, count]);
  }
});
