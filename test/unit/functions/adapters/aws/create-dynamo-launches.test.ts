import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, test } from 'vitest';
import { createDynamoLaunches } from '../../../../../functions/adapters/aws/create-dynamo-launches.ts';
import { createDynamoClient } from '../../../../../functions/adapters/aws/dynamo-table.ts';
import { launchesTable } from '../../../../../functions/adapters/aws/table-definitions.ts';
import { endingOf, recordOf } from '../../../../contract/launch-fixtures.ts';
import { startDynamoDb } from '../../../../support/start-dynamo-db.ts';
import { awsError, awsOutput, startScriptedAws } from '../../../../support/start-scripted-aws.ts';

const database = await startDynamoDb();
afterAll(() => database.stop());

test('more launches than DynamoDB returns at a time are all listed', async () => {
  const launches = createDynamoLaunches(await database.createTable(launchesTable));
  const env = { LARGE: 'x'.repeat(200_000) };
  for (let index = 0; index < 12; index += 1) await launches.request(recordOf(`job-${index}`, { env }));

  const page = await launches.list({ statuses: ['launching'], limit: 20 });

  expect(page?.launches).toHaveLength(12);
  expect(page?.cursor).toBeUndefined();
});

test('lists a status once that a query names twice', async () => {
  const launches = createDynamoLaunches(await database.createTable(launchesTable));
  await launches.request(recordOf('job'));

  const page = await launches.list({ statuses: ['launching', 'launching'], limit: 20 });

  expect(page?.launches).toHaveLength(1);
});

test('a cursor from a query of other statuses is answered with undefined', async () => {
  const launches = createDynamoLaunches(await database.createTable(launchesTable));
  for (const launchId of ['job-a', 'job-b']) await launches.request(recordOf(launchId));
  const page = await launches.list({ statuses: ['launching'], limit: 1 });

  const cursor = page?.cursor ?? '';

  expect(await launches.list({ statuses: ['launching'], limit: 1, cursor })).toBeDefined();
  expect(await launches.list({ statuses: ['failed', 'cleaning'], limit: 1, cursor })).toBeUndefined();
});

test("an item that is not a launch's record is not returned, and its fields are named", async () => {
  const table = await database.createTable(launchesTable);
  const Item = { launchId: 'job', status: 'asleep', requestedAtEpochMs: 1 };
  await database.client.send(new PutCommand({ TableName: table.tableName, Item }));
  const launches = createDynamoLaunches(table);

  await expect(launches.get('job')).rejects.toThrow(/status/);
  await expect(launches.end('job', endingOf())).rejects.toThrow(/expiresAtEpochSeconds/);
});

test('a record that expires between the refused put and the read is a WriteConflict', async () => {
  const service = await startScriptedAws([awsError(400, 'ConditionalCheckFailedException', 'failed'), awsOutput({})]);
  const client = createDynamoClient(service.settings);
  const launches = createDynamoLaunches({ client, tableName: 'launches' });

  const requested = launches.request(recordOf('job'));

  await expect(requested).rejects.toMatchObject({ name: 'TransientError', code: 'WriteConflict' });
  await service.stop();
});

test('ends a launch that is requested between the refused end and the read', async () => {
  const table = await database.createTable(launchesTable);
  let isFirstRead = true;
  table.client.middlewareStack.add(
    (next, { commandName }) =>
      async (call) => {
        if (commandName === 'GetItemCommand' && isFirstRead) {
          isFirstRead = false;
          await launches.request(recordOf('job'));
        }
        return await next(call);
      },
    { step: 'initialize' },
  );
  const launches = createDynamoLaunches(table);

  const record = await launches.end('job', endingOf());

  expect(record?.status).toBe('cleaning');
  expect((await launches.get('job'))?.ending).toEqual(endingOf());
});
