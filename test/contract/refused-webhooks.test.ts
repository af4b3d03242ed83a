import { createDynamoRefusedWebhooks } from '../../adapters/aws/create-dynamo-refused-webhooks.ts';
import { jobsTable } from '../../adapters/aws/table-definitions.ts';
import { openStore } from '../../local/store/open-store.ts';
import { sqliteRefusedWebhooks } from '../../local/store/sqlite-refused-webhooks.ts';
import type { RefusedWebhookStore } from '../../ports/refused-webhooks.ts';
import { startDynamoDb } from '../support/start-dynamo-db.ts';

const database = await startDynamoDb();
afterAll(() => database.stop());

const adapters: [string, () => Promise<RefusedWebhookStore>][] = [
  ['SQLite', async () => sqliteRefusedWebhooks(openStore(':memory:'))],
  ['DynamoDB', async () => createDynamoRefusedWebhooks(await database.createTable(jobsTable))],
];
const hourMs = 3_600_000;

describe.each(adapters)('refused webhooks (%s)', (_name, make) => {
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
