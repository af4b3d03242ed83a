import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { createDynamoSlots } from '../../adapters/aws/create-dynamo-slots.ts';
import { jobsTable } from '../../adapters/aws/table-definitions.ts';
import { openStore } from '../../local/store/open-store.ts';
import { sqliteSlots } from '../../local/store/sqlite-slots.ts';
import { startDynamoDb } from '../support/start-dynamo-db.ts';
import { describeSlots } from './slots.contract.ts';

const database = await startDynamoDb();
afterAll(() => database.stop());

describeSlots('SQLite', async () => sqliteSlots(openStore(':memory:')));
describeSlots('DynamoDB', async () => createDynamoSlots(await database.createTable(jobsTable)));

test('a count that is not that of the holders, as in a table that was restored, is mended by the next reading', async () => {
  const table = await database.createTable(jobsTable);
  const slots = createDynamoSlots(table);
  const limit = { key: 'profile/linux', of: 'profile linux', maxAgents: 2 };
  const slot = { launchId: 'api-1', repository: '', takenAtEpochMs: 1_767_225_600_000 };
  for (const holder of ['one', 'two']) await slots.take(limit, holder, slot);
  const Key = { partition: 'slots/profile/linux', item: 'holder/one' };
  await table.client.send(new DeleteCommand({ TableName: table.tableName, Key }));

  const before = await slots.take(limit, 'three', slot);
  const held = await slots.get(limit.key);

  expect(before).toBe(false);
  expect([...held.keys()]).toEqual(['two']);
  expect(await slots.take(limit, 'three', slot)).toBe(true);
  expect(await slots.take(limit, 'four', slot)).toBe(false);
});
