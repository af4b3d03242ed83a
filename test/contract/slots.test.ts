import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { createDynamoSlotReader, createDynamoSlots } from '../../adapters/aws/create-dynamo-slots.ts';
import type { DynamoTable } from '../../adapters/aws/dynamo-table.ts';
import { jobsTable } from '../../adapters/aws/table-definitions.ts';
import { openStore } from '../../local/store/open-store.ts';
import { sqliteSlots } from '../../local/store/sqlite-slots.ts';
import { startDynamoDb } from '../support/start-dynamo-db.ts';
import { describeSlots } from './slots.contract.ts';

const database = await startDynamoDb();
afterAll(() => database.stop());

describeSlots('SQLite', async () => sqliteSlots(openStore(':memory:')));
describeSlots('DynamoDB', async () => createDynamoSlots(await database.createTable(jobsTable)));

const limit = { key: 'profile/linux', of: 'profile linux', maxAgents: 2 };
const slot = { launchId: 'api-1', repository: '', takenAtEpochMs: 1_767_225_600_000 };

/** A table whose limit counts two holders, of whom only `two` is there, as after the table was restored. */
async function tableWithWrongCount(): Promise<DynamoTable> {
  const table = await database.createTable(jobsTable);
  const slots = createDynamoSlots(table);
  for (const holder of ['one', 'two']) await slots.take(limit, holder, slot);
  const Key = { partition: 'slots/profile/linux', item: 'holder/one' };
  await table.client.send(new DeleteCommand({ TableName: table.tableName, Key }));
  return table;
}

test('a function that may only query the table reads the holders, and leaves a wrong count', async () => {
  const table = await tableWithWrongCount();

  const held = await createDynamoSlotReader(table).get(limit.key);

  expect([...held.keys()]).toEqual(['two']);
  expect(await createDynamoSlots(table).take(limit, 'three', slot)).toBe(false);
});

test('a count that is not that of the holders, as in a table that was restored, is mended by the next reading', async () => {
  const slots = createDynamoSlots(await tableWithWrongCount());

  const before = await slots.take(limit, 'three', slot);
  const held = await slots.get(limit.key);

  expect(before).toBe(false);
  expect([...held.keys()]).toEqual(['two']);
  expect(await slots.take(limit, 'three', slot)).toBe(true);
  expect(await slots.take(limit, 'four', slot)).toBe(false);
});
