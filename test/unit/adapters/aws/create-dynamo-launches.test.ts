import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { createDynamoLaunches } from '../../../../adapters/aws/create-dynamo-launches.ts';
import { createDynamoClient, getItem } from '../../../../adapters/aws/dynamo-table.ts';
import { launchesTable } from '../../../../adapters/aws/table-definitions.ts';
import type { LaunchStatus } from '../../../../core/launch/launch-record.ts';
import { endingOf, epochMs, recordOf, signalOf } from '../../../contract/launch-fixtures.ts';
import { damageRecord } from '../../../support/damage-record.ts';
import { startDynamoDb } from '../../../support/start-dynamo-db.ts';
import { awsError, awsOutput, type ScriptedAnswer, startScriptedAws } from '../../../support/start-scripted-aws.ts';

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

describe('an entry of the index that is behind its record', () => {
  const entry = { launchId: { S: 'job' }, status: { S: 'launching' }, requestedAtEpochMs: { N: String(epochMs) } };
  const read = (status: LaunchStatus) =>
    awsOutput({ Responses: { launches: [marshall({ ...recordOf('job'), status }, { removeUndefinedValues: true })] } });
  const found = (...Items: object[]) => awsOutput({ Items });

  test.each<[what: string, statuses: LaunchStatus[], answers: ScriptedAnswer[], listed: string[]]>([
    [
      'shows its launch as it is',
      ['launching', 'connected'],
      [found(entry), read('connected'), found()],
      ['connected'],
    ],
    [
      'shows its launch once',
      ['launching', 'connected'],
      [found(entry), read('connected'), found({ ...entry, status: { S: 'connected' } }), read('connected')],
      ['connected'],
    ],
    ['shows no launch of another status', ['launching'], [found(entry), read('connected')], []],
    ['shows no launch whose record is gone', ['launching'], [found(entry), awsOutput({ Responses: {} })], []],
  ])('%s', async (_what, statuses, answers, listed) => {
    const service = await startScriptedAws(answers);
    const launches = createDynamoLaunches({ client: createDynamoClient(service.settings), tableName: 'launches' });

    const page = await launches.list({ statuses, limit: 10 });

    expect(page?.launches.map(({ status }) => status)).toEqual(listed);
    await service.stop();
  });
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

  await expect(launches.get('job')).rejects.toThrow(/status.*expiresAtEpochSeconds/);
  await expect(launches.noteSignal('job', signalOf())).rejects.toThrow(/expiresAtEpochSeconds/);
});

test('a record that changes each time it is read is a WriteConflict that names the command', async () => {
  const refused = [awsOutput({}), awsError(400, 'ConditionalCheckFailedException', 'failed')];
  const service = await startScriptedAws(Array.from({ length: 25 }, () => refused).flat());
  const client = createDynamoClient(service.settings);
  const launches = createDynamoLaunches({ client, tableName: 'launches' });

  const requested = launches.request(recordOf('job'));

  await expect(requested).rejects.toMatchObject({ name: 'TransientError', code: 'WriteConflict' });
  await expect(requested).rejects.toThrow(/request: the record job/);
  await service.stop();
});

test('a write keeps attributes that this version does not know, inside of unchanged ones, too', async () => {
  const table = await database.createTable(launchesTable);
  const record = recordOf('job');
  const plan = { ...record.plan, newInPlan: 1 };
  const Item = { ...record, plan, newField: { any: true }, revision: 5, command: 'request' };
  await database.client.send(new PutCommand({ TableName: table.tableName, Item }));

  await createDynamoLaunches(table).end('job', endingOf());

  const ended = { ...Item, status: 'cleaning', ending: endingOf(), revision: 6, command: 'end' };
  expect(await getItem(table, { launchId: 'job' })).toEqual(ended);
});

test('a damaged record can be ended and cleaned up, and can be read from then on', async () => {
  const table = await database.createTable(launchesTable);
  const launches = createDynamoLaunches(table);
  await launches.request(recordOf('job'));
  await damageRecord(table, 'job');

  await launches.end('job', endingOf());
  await launches.markCleaned('job', epochMs);

  const { plan: _plan, ...readable } = recordOf('job');
  const over = { ...readable, status: 'failed', ending: endingOf(), cleanedAtEpochMs: epochMs };
  expect(await launches.get('job')).toEqual(over);
});

test.each([
  ['that is written by hand, without a revision,', {}],
  ['whose revision is damaged', { revision: 'damaged' }],
])('a record %s can be ended', async (_what, damage) => {
  const table = await database.createTable(launchesTable);
  const Item = { ...recordOf('job'), ...damage };
  await database.client.send(new PutCommand({ TableName: table.tableName, Item }));
  const launches = createDynamoLaunches(table);

  await launches.end('job', endingOf());

  expect(await launches.get('job')).toMatchObject({ status: 'cleaning', ending: endingOf() });
});

test('a launch in its clean-up whose ending is damaged gets the ending of the next command, and can be cleaned up', async () => {
  const table = await database.createTable(launchesTable);
  const Item = { ...recordOf('job'), status: 'cleaning', ending: 'damaged', revision: 5 };
  await database.client.send(new PutCommand({ TableName: table.tableName, Item }));
  const launches = createDynamoLaunches(table);

  await launches.end('job', endingOf(), { unlessLive: true });
  await launches.markCleaned('job', epochMs);

  expect(await launches.get('job')).toMatchObject({ status: 'failed', ending: endingOf(), cleanedAtEpochMs: epochMs });
});
