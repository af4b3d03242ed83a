import { PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { dynamoDbOperations, openStore } from '../../../support/aws/dynamodb/operations.ts';
import { eventually } from '../../../support/eventually.ts';

const jobs = {
  TableName: 'jobs',
  AttributeDefinitions: [
    { AttributeName: 'system', AttributeType: 'S' },
    { AttributeName: 'job', AttributeType: 'N' },
  ],
  KeySchema: [
    { AttributeName: 'system', KeyType: 'HASH' },
    { AttributeName: 'job', KeyType: 'RANGE' },
  ],
  BillingMode: 'PAY_PER_REQUEST',
};
const count = 600;

async function storeWithJobs() {
  const store = openStore(undefined);
  const operations = dynamoDbOperations(store);
  const call = async (name: string, input: object) => operations[name]?.(structuredClone(input));
  await call('CreateTable', jobs);
  await eventually(async () =>
    expect(await call('DescribeTable', { TableName: 'jobs' })).toMatchObject({ Table: { TableStatus: 'ACTIVE' } }),
  );
  for (let job = 1; job <= count; job += 1) {
    const { input } = new PutItemCommand({ TableName: 'jobs', Item: { system: { S: 'gitea' }, job: { N: `${job}` } } });
    await call('PutItem', input);
  }
  return { store, call };
}

function query(more: object): object {
  return {
    TableName: 'jobs',
    KeyConditionExpression: '#system = :system',
    ExpressionAttributeNames: { '#system': 'system' },
    ExpressionAttributeValues: { ':system': { S: 'gitea' } },
    ...more,
  } satisfies QueryCommand['input'];
}

test('a query reads its items in batches, and closes what it reads from', async () => {
  const { store, call } = await storeWithJobs();
  const { db } = store;
  const values = db.values.bind(db);
  const reads = { batches: 0, closed: 0 };
  db.values = (options) => {
    const iterator = values(options);
    return {
      nextv: async (most) => {
        reads.batches += 1;
        return iterator.nextv(most);
      },
      close: async () => {
        reads.closed += 1;
        return iterator.close();
      },
    };
  };

  const all = await call('Query', query({}));
  const youngest = await call('Query', query({ Limit: 2, ScanIndexForward: false }));

  expect(all).toMatchObject({ Count: count });
  expect(youngest).toMatchObject({ Count: 2, Items: [{ job: { N: '600' } }, { job: { N: '599' } }] });
  expect(reads.batches).toBeLessThan(10);
  await eventually(() => expect(reads.closed).toBe(2));
});

test("a table's definition is read once, and again after it has changed", async () => {
  const { store, call } = await storeWithJobs();
  const { tableDb } = store;
  const key = { TableName: 'jobs', Key: { system: { S: 'gitea' }, job: { N: '7' } } };
  let reads = 0;
  const get = tableDb.get.bind(tableDb);
  tableDb.get = (name, done) => {
    reads += 1;
    get(name, done);
  };

  await call('GetItem', key);
  await call('GetItem', key);
  expect(reads).toBe(0);
  await new Promise<void>((resolve) => {
    store.getTable('jobs', (_error, table) => tableDb.put('jobs', { ...table }, () => resolve()));
  });
  await call('GetItem', key);
  await call('GetItem', key);

  expect(reads).toBe(1);
});
