import { createDynamoCiClocks } from '../../adapters/aws/create-dynamo-ci-clocks.ts';
import { jobsTable } from '../../adapters/aws/table-definitions.ts';
import { openStore } from '../../local/store/open-store.ts';
import { sqliteCiClocks } from '../../local/store/sqlite-ci-memory.ts';
import type { CiClocks } from '../../ports/ci-clocks.ts';
import { startDynamoDb } from '../support/start-dynamo-db.ts';

const database = await startDynamoDb();
afterAll(() => database.stop());

const adapters: [string, () => Promise<CiClocks>][] = [
  ['SQLite', async () => sqliteCiClocks(openStore(':memory:'))],
  ['DynamoDB', async () => createDynamoCiClocks(await database.createTable(jobsTable))],
];

test.each(adapters)(
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
