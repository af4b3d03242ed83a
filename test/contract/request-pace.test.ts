import { createDynamoRequestPace } from '../../adapters/aws/create-dynamo-request-pace.ts';
import { atATime } from '../../core/at-a-time.ts';
import { sqliteRequestPace } from '../../local/store/sqlite-request-pace.ts';
import type { PointsNeeded, PointsRefused, RequestPace } from '../../ports/request-pace.ts';
import { startDatabases } from './databases.ts';

const { inEach } = await startDatabases();

/** More at once would not get a connection in time on a machine that is busy with other tests. */
const connections = 10;

const slot = 600_000_000;

function needed(given: Partial<PointsNeeded> = {}): PointsNeeded {
  return { ciSystem: 'github', slot, points: 5, most: 40, ...given };
}

describe.each(inEach(sqliteRequestPace, createDynamoRequestPace))('the pace of requests (%s)', (_name, make) => {
  let pace: RequestPace;
  beforeEach(async () => {
    pace = await make();
  });

  test('200 callers take exactly what fits, and each of the others gets a number of its own', async () => {
    const answers: (PointsRefused | undefined)[] = [];
    await atATime(connections, Array.from({ length: 200 }), async () => {
      answers.push(await pace.take(needed({ waits: true })));
    });

    const numbers = new Set(answers.flatMap((refused) => refused?.refused ?? []));
    expect(answers.filter((refused) => refused === undefined)).toHaveLength(8);
    expect(numbers.size).toBe(192);
  });

  test('each CI system and each slot has points of its own', async () => {
    await pace.take(needed({ points: 40 }));

    expect(await pace.take(needed())).toEqual({ refused: 0 });
    expect(await pace.take(needed({ ciSystem: 'other' }))).toBeUndefined();
    expect(await pace.take(needed({ slot: slot + 1 }))).toBeUndefined();
  });

  test('a purpose with less of a slot is refused before one with more', async () => {
    await pace.take(needed({ points: 30 }));

    expect(await pace.take(needed({ points: 1, most: 26 }))).toEqual({ refused: 0 });
    expect(await pace.take(needed({ points: 5, most: 35 }))).toBeUndefined();
    expect(await pace.take(needed({ points: 5, most: 40 }))).toBeUndefined();
    expect(await pace.take(needed({ points: 2, most: 42 }))).toBeUndefined();
  });

  test('who yields takes nothing of a slot that has refused one who waits, and of the next', async () => {
    await pace.take(needed({ points: 20 }));

    expect(await pace.take(needed({ points: 1, most: 26, yields: true }))).toBeUndefined();
    expect(await pace.take(needed({ points: 25, waits: true }))).toEqual({ refused: 1 });
    expect(await pace.take(needed({ points: 1, most: 26, yields: true }))).toEqual({ refused: 0 });
    expect(await pace.take(needed({ points: 1, most: 26 }))).toBeUndefined();
    expect(await pace.take(needed({ slot: slot + 1, yields: true }))).toEqual({ refused: 0 });
    expect(await pace.take(needed({ slot: slot + 2, yields: true }))).toBeUndefined();
  });

  test('what is used of slots is known', async () => {
    await pace.take(needed({ points: 20 }));
    await pace.take(needed({ slot: slot + 2, points: 7 }));

    const used = await pace.usedIn('github', [slot, slot + 1, slot + 2]);

    expect([slot, slot + 1, slot + 2].map((each) => used.get(each) ?? 0)).toEqual([20, 0, 7]);
  });

  test('a pause is there for all, and a later one stays', async () => {
    expect(await pace.pausedUntil('github')).toBe(0);
    await pace.pause('github', 1_800_000_060_000);
    await pace.pause('github', 1_800_000_030_000);

    expect(await pace.pausedUntil('github')).toBe(1_800_000_060_000);
    expect(await pace.pausedUntil('other')).toBe(0);
  });
});
