import { createDynamoClient, type DynamoTable, getItems } from '../../../../adapters/aws/dynamo-table.ts';
import { awsOutput, type ScriptedAnswer, scriptedAwsOfTests } from '../../../support/start-scripted-aws.ts';

const aws = scriptedAwsOfTests();

async function tableThatAnswers(...answers: ScriptedAnswer[]): Promise<DynamoTable> {
  return { client: createDynamoClient((await aws.start(...answers)).settings), tableName: 'table' };
}

/** The keys of each request, in order. */
function asked(): string[][] {
  return aws.requests.map(({ body }) =>
    JSON.parse(body).RequestItems.table.Keys.map(({ id }: { id: { S: string } }) => id.S),
  );
}

function keys(ids: string[]): object[] {
  return ids.map((id) => ({ id: { S: id } }));
}

function answer(items: string[], unprocessed: string[] = []): ScriptedAnswer {
  const left = unprocessed.length === 0 ? {} : { table: { Keys: keys(unprocessed) } };
  return awsOutput({ Responses: { table: keys(items) }, UnprocessedKeys: left });
}

test('requests only unprocessed keys again', async () => {
  const table = await tableThatAnswers(answer(['a'], ['b', 'c']), answer([], ['b', 'c']), answer(['c', 'b']));

  const items = await getItems(table, [{ id: 'a' }, { id: 'b' }, { id: 'c' }]);

  expect(items).toEqual([{ id: 'a' }, { id: 'c' }, { id: 'b' }]);
  expect(asked()).toEqual([
    ['a', 'b', 'c'],
    ['b', 'c'],
    ['b', 'c'],
  ]);
});

test('every item is read strongly consistent', async () => {
  const table = await tableThatAnswers(answer(['a']));

  await getItems(table, [{ id: 'a' }]);

  expect(JSON.parse(aws.requests[0]?.body ?? '')).toMatchObject({
    RequestItems: { table: { ConsistentRead: true } },
  });
});

test('more keys than DynamoDB takes at a time are read in batches', async () => {
  const table = await tableThatAnswers(answer([]));

  await getItems(
    table,
    Array.from({ length: 201 }, (_, index) => ({ id: `${index}` })),
  );

  expect(asked().map(({ length }) => length)).toEqual([100, 100, 1]);
});

test('an empty list of keys makes no request', async () => {
  const table = await tableThatAnswers(answer([]));

  expect(await getItems(table, [])).toEqual([]);
  expect(asked()).toEqual([]);
});

test('keys that stay unprocessed are a StoreUnavailable error after eight attempts', async () => {
  const table = await tableThatAnswers(answer([], ['a']));

  await expect(getItems(table, [{ id: 'a' }])).rejects.toMatchObject({
    code: 'StoreUnavailable',
    message: expect.stringContaining('1 keys were never processed'),
  });
  expect(asked()).toHaveLength(8);
}, 20_000);
