import { createDynamoCiClocks } from '../../adapters/aws/create-dynamo-ci-clocks.ts';
import { createDynamoFailingDeliveries } from '../../adapters/aws/create-dynamo-failing-deliveries.ts';
import { createDynamoPollCursors } from '../../adapters/aws/create-dynamo-poll-cursors.ts';
import { createDynamoPollTurns } from '../../adapters/aws/create-dynamo-poll-turns.ts';
import { createDynamoRateSpending } from '../../adapters/aws/create-dynamo-rate-spending.ts';
import { createDynamoRefusedWebhooks } from '../../adapters/aws/create-dynamo-refused-webhooks.ts';
import { createDynamoRoundCursors } from '../../adapters/aws/create-dynamo-round-cursors.ts';
import { storedPart } from '../../core/ci/poll-cursor.ts';
import type { RoundCursor } from '../../core/ci/round-cursor.ts';
import {
  sqliteCiClocks,
  sqliteFailingDeliveries,
  sqlitePollCursors,
  sqlitePollTurns,
  sqliteRateSpending,
  sqliteRoundCursors,
} from '../../local/store/sqlite-ci-memory.ts';
import { sqliteRefusedWebhooks } from '../../local/store/sqlite-refused-webhooks.ts';
import { startDatabases } from './databases.ts';
import { epochMs } from './launch-fixtures.ts';

const { inEach } = await startDatabases();
const hourMs = 3_600_000;

test.each(inEach(sqliteCiClocks, createDynamoCiClocks))(
  'how far a clock is ahead is kept for each CI system, and the latest value counts (%s)',
  async (_name, make) => {
    const clocks = await make();

    await clocks.keep('gitea', 90_000);
    await clocks.keep('gitea', -61_000);
    await clocks.keep('github', 0);

    expect(await clocks.get('gitea')).toBe(-61_000);
    expect(await clocks.get('github')).toBe(0);
    expect(await clocks.get('other')).toBeUndefined();
  },
);

const pollCursors = inEach(sqlitePollCursors, createDynamoPollCursors);
const running = { jobKey: 'jenkins/1/2/1', runner: { id: 3, name: 'davit-0a1b2c3d-jenkins-1-2-1' } };

test.each(pollCursors)('the latest cursor of each CI system is kept (%s)', async (_name, make) => {
  const cursors = await make();

  const first = await cursors.keep('jenkins', { open: [{ jobKey: 'jenkins/1/2/1' }] }, 0);
  const second = await cursors.keep('jenkins', { open: [running, { jobKey: 'jenkins/1/3/1' }] }, 1);
  const other = await cursors.keep('other', { open: [] }, 0);

  expect([first, second, other]).toEqual([1, 2, 1]);
  expect(await cursors.get('jenkins')).toEqual({
    cursor: { open: [running, { jobKey: 'jenkins/1/3/1' }] },
    revision: 2,
  });
  expect(await cursors.get('other')).toEqual({ cursor: { open: [] }, revision: 1 });
  expect(await cursors.get('none')).toEqual({ cursor: { open: [] }, revision: 0 });
});

test.each(pollCursors)('of two polls that overlap, the first one stores its cursor (%s)', async (_name, make) => {
  const cursors = await make();

  const first = await cursors.keep('jenkins', { open: [running] }, 0);
  const second = await cursors.keep('jenkins', { open: [] }, 0);
  const third = await cursors.keep('jenkins', { open: [running, { jobKey: 'jenkins/1/3/1' }] }, 1);
  const fourth = await cursors.keep('jenkins', { open: [] }, 1);

  expect([first, second, third, fourth]).toEqual([1, undefined, 2, undefined]);
  expect(await cursors.get('jenkins')).toMatchObject({ cursor: { open: [running, {}] }, revision: 2 });
});

test.each(pollCursors)(
  'the cursor of thousands of running jobs fits, however long their names are (%s)',
  async (_name, make) => {
    const cursors = await make();
    const open = Array.from({ length: 4000 }, (_, index) => {
      const job = `jenkins-prod-281474976710655-${8_000_000_000_000_000 + index}-9999`;
      return {
        jobKey: job.replaceAll('-', '/'),
        runner: { id: 281_474_976_710_655 - index, name: `davit-0a1b2c3d-${job}` },
      };
    });
    const unseen = open.map(({ runner }) => runner.id);

    const kept = await cursors.keep('jenkins-prod', storedPart({ open, unseen }), 0);

    expect(kept).toBe(1);
  },
);

describe.each(inEach(sqlitePollTurns, createDynamoPollTurns))('the turns of polls (%s)', (_name, make) => {
  test('are now for the first event, two seconds later for the next ones, once, and each CI system has its own', async () => {
    const turns = await make();
    const take = (afterMs: number, ciSystem = 'kite') => turns.take(ciSystem, epochMs + afterMs);

    expect([await take(0), await take(10), await take(20), await take(1999)]).toEqual([
      epochMs,
      epochMs + 2000,
      undefined,
      undefined,
    ]);
    expect(await take(30, 'forge')).toBe(epochMs + 30);
    expect([await take(2001), await take(2002)]).toEqual([epochMs + 4000, undefined]);
    expect(await take(60_000)).toBe(epochMs + 60_000);
  });

  test('are two for a burst of events at once, of which the second begins after the last event', async () => {
    const turns = await make();

    const taken = await Promise.all(Array.from({ length: 30 }, () => turns.take('kite', epochMs)));

    expect(taken.filter((turn) => turn !== undefined)).toEqual([epochMs, epochMs + 2000]);
  });

  test('are now again if a wrong clock has taken one far ahead', async () => {
    const turns = await make();
    await turns.take('kite', epochMs + 3_600_000);

    expect(await turns.take('kite', epochMs)).toBe(epochMs);
  });
});

describe.each(inEach(sqliteRateSpending, createDynamoRateSpending))(
  'the rate that reconciliation has used (%s)',
  (_name, make) => {
    const spent = { limit: 5000, resetsAtEpochMs: epochMs + hourMs, used: 12, atEpochMs: epochMs };

    test('is kept for each CI system', async () => {
      const spending = await make();
      const unlimited = { resetsAtEpochMs: 1, used: 3, pausedUntilEpochMs: 7, atEpochMs: epochMs };

      await spending.keep('github', spent);
      await spending.keep('gitea', unlimited);

      expect(await spending.get('github')).toEqual(spent);
      expect(await spending.get('gitea')).toEqual(unlimited);
      expect(await spending.get('other')).toBeUndefined();
    });

    test('is replaced by newer values only', async () => {
      const spending = await make();
      const newer = { ...spent, used: 24, atEpochMs: epochMs + 60_000 };

      await spending.keep('github', newer);
      await spending.keep('github', spent);

      expect(await spending.get('github')).toEqual(newer);
    });
  },
);

describe.each(inEach(sqliteRefusedWebhooks, createDynamoRefusedWebhooks))('refused webhooks (%s)', (_name, make) => {
  test('are counted for each CI system, with the last reason', async () => {
    const refused = await make();

    await refused.note({ ciSystem: 'gitea', count: 1, why: 'missing', atEpochMs: hourMs });
    await refused.note({ ciSystem: 'gitea', count: 4, why: 'wrong', atEpochMs: 2 * hourMs });

    expect(await refused.get('gitea')).toEqual({
      count: 5,
      why: 'wrong',
      firstAtEpochMs: hourMs,
      lastAtEpochMs: 2 * hourMs,
    });
    expect(await refused.get('github')).toBeUndefined();
  });

  test('are counted anew after an hour without any', async () => {
    const refused = await make();

    await refused.note({ ciSystem: 'gitea', count: 7, why: 'missing', atEpochMs: hourMs });
    await refused.note({ ciSystem: 'gitea', count: 1, why: 'wrong', atEpochMs: 2 * hourMs + 1 });

    const atEpochMs = 2 * hourMs + 1;
    expect(await refused.get('gitea')).toEqual({
      count: 1,
      why: 'wrong',
      firstAtEpochMs: atEpochMs,
      lastAtEpochMs: atEpochMs,
    });
  });
});

test.each(inEach(sqliteRoundCursors, createDynamoRoundCursors))(
  'a round leaves to the next one a cursor for each CI system, and the later round counts (%s)',
  async (_name, make) => {
    const cursors = await make();
    const seen = { ids: ['7'], atEpochMs: epochMs };
    const cursor: RoundCursor = {
      jobLists: 'acme/app',
      jobs: '000 gitea/7/8/1',
      deliveries: { seen, gap: { page: 'v1_6', until: seen } },
      atEpochMs: epochMs + 60_000,
    };

    await cursors.keep('github', cursor);
    await cursors.keep('github', { jobLists: 'acme/late', atEpochMs: epochMs });

    expect(await cursors.get('github')).toEqual(cursor);
    expect(await cursors.get('gitea')).toBeUndefined();
  },
);

test.each(inEach(sqliteFailingDeliveries, createDynamoFailingDeliveries))(
  'a round leaves to the next one the webhooks that have not arrived, until they are settled (%s)',
  async (_name, make) => {
    const deliveries = await make();
    const failing = { guid: 'a', id: '1', attempts: 1, firstAtEpochMs: epochMs, repeatAtEpochMs: epochMs };
    const other = { ...failing, guid: 'b', id: '2' };

    await deliveries.keep('github', failing, epochMs);
    await deliveries.keep('github', other, epochMs);
    await deliveries.keep('github', { ...failing, id: '3', attempts: 2 }, epochMs + 60_000);
    await deliveries.keep('github', { ...failing, attempts: 9 }, epochMs + 30_000);
    await deliveries.keep('github', { ...other, isSettled: true }, epochMs + 60_000);

    expect(await deliveries.list('github')).toEqual([{ ...failing, id: '3', attempts: 2 }]);
    expect(await deliveries.list('gitea')).toEqual([]);
  },
);
