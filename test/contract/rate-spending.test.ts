import { createDynamoRateSpending } from '../../adapters/aws/create-dynamo-rate-spending.ts';
import { jobsTable } from '../../adapters/aws/table-definitions.ts';
import { openStore } from '../../local/store/open-store.ts';
import { sqliteRateSpending } from '../../local/store/sqlite-ci-memory.ts';
import type { RateSpending } from '../../ports/rate-spending.ts';
import { queuedAtEpochMs } from '../support/seen-job.ts';
import { startDynamoDb } from '../support/start-dynamo-db.ts';

const database = await startDynamoDb();
afterAll(() => database.stop());

const spent = { limit: 5000, resetsAtEpochMs: queuedAtEpochMs + 3_600_000, used: 12, atEpochMs: queuedAtEpochMs };
const adapters: [string, () => Promise<RateSpending>][] = [
  ['SQLite', async () => sqliteRateSpending(openStore(':memory:'))],
  ['DynamoDB', async () => createDynamoRateSpending(await database.createTable(jobsTable))],
];

describe.each(adapters)('the rate that reconciliation has used (%s)', (_name, make) => {
  test('is kept for each CI system', async () => {
    const spending = await make();
    const unlimited = { resetsAtEpochMs: 1, used: 3, pausedUntilEpochMs: 7, atEpochMs: queuedAtEpochMs };

    await spending.keep('github', spent);
    await spending.keep('gitea', unlimited);

    expect(await spending.get('github')).toEqual(spent);
    expect(await spending.get('gitea')).toEqual(unlimited);
    expect(await spending.get('other')).toBeUndefined();
  });

  test('is replaced by newer values only', async () => {
    const spending = await make();
    const newer = { ...spent, used: 24, atEpochMs: queuedAtEpochMs + 60_000 };

    await spending.keep('github', newer);
    await spending.keep('github', spent);

    expect(await spending.get('github')).toEqual(newer);
  });
});
