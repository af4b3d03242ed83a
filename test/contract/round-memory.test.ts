import { createDynamoFailingDeliveries } from '../../adapters/aws/create-dynamo-failing-deliveries.ts';
import { createDynamoRoundCursors } from '../../adapters/aws/create-dynamo-round-cursors.ts';
import { jobsTable } from '../../adapters/aws/table-definitions.ts';
import type { RoundCursor } from '../../core/ci/round-cursor.ts';
import { openStore } from '../../local/store/open-store.ts';
import { sqliteFailingDeliveries, sqliteRoundCursors } from '../../local/store/sqlite-ci-memory.ts';
import type { FailingDeliveries } from '../../ports/failing-deliveries.ts';
import type { RoundCursors } from '../../ports/round-cursors.ts';
import { queuedAtEpochMs as now } from '../support/seen-job.ts';
import { startDynamoDb } from '../support/start-dynamo-db.ts';

const database = await startDynamoDb();
afterAll(() => database.stop());

const adapters: [string, () => Promise<{ cursors: RoundCursors; deliveries: FailingDeliveries }>][] = [
  [
    'SQLite',
    async () => {
      const store = openStore(':memory:');
      return { cursors: sqliteRoundCursors(store), deliveries: sqliteFailingDeliveries(store) };
    },
  ],
  [
    'DynamoDB',
    async () => {
      const table = await database.createTable(jobsTable);
      return { cursors: createDynamoRoundCursors(table), deliveries: createDynamoFailingDeliveries(table) };
    },
  ],
];

describe.each(adapters)('what a round leaves to the next one (%s)', (_name, make) => {
  test('is a cursor for each CI system, and the later round counts', async () => {
    const { cursors } = await make();
    const seen = { ids: ['7'], atEpochMs: now };
    const cursor: RoundCursor = {
      jobLists: 'acme/app',
      jobs: '000 gitea/7/8/1',
      deliveries: { seen, gap: { page: 'v1_6', until: seen } },
      atEpochMs: now + 60_000,
    };

    await cursors.keep('github', cursor);
    await cursors.keep('github', { jobLists: 'acme/late', atEpochMs: now });

    expect(await cursors.get('github')).toEqual(cursor);
    expect(await cursors.get('gitea')).toBeUndefined();
  });

  test('are the webhooks that have not arrived, until they are settled', async () => {
    const { deliveries } = await make();
    const failing = { guid: 'a', id: '1', attempts: 1, firstAtEpochMs: now, repeatAtEpochMs: now };
    const other = { ...failing, guid: 'b', id: '2' };

    await deliveries.keep('github', failing, now);
    await deliveries.keep('github', other, now);
    await deliveries.keep('github', { ...failing, id: '3', attempts: 2 }, now + 60_000);
    await deliveries.keep('github', { ...failing, attempts: 9 }, now + 30_000);
    await deliveries.keep('github', { ...other, isSettled: true }, now + 60_000);

    expect(await deliveries.list('github')).toEqual([{ ...failing, id: '3', attempts: 2 }]);
    expect(await deliveries.list('gitea')).toEqual([]);
  });
});
