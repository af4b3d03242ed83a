import { connect } from 'node:net';
import { type DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { createDynamoClient } from '../../../../adapters/aws/dynamo-table.ts';
import { tokensTable } from '../../../../adapters/aws/table-definitions.ts';
import { type DynamoDbServer, startDynamoDbServer } from '../../../support/aws/dynamodb/dynamodb-server.ts';
import type { StreamRecord } from '../../../support/aws/dynamodb/table-streams.ts';
import { localAws } from '../../../support/aws/local-aws.ts';

const TableName = 'tokens';
const table = { TableName, ...tokensTable.schema };

let server: DynamoDbServer;
let client: DynamoDBDocumentClient;
beforeEach(async () => {
  server = await startDynamoDbServer();
  client = createDynamoClient(localAws(server.url));
  await server.createTables([table]);
});
afterEach(async () => {
  client.destroy();
  await server.stop();
});

const put = (agentName: string, port: number) => client.send(new PutCommand({ TableName, Item: { agentName, port } }));

async function streamWhile(write: () => Promise<unknown>): Promise<StreamRecord[]> {
  const told: StreamRecord[] = [];
  const stream = server.stream([table], (record) => told.push(record));
  await write();
  stream[Symbol.dispose]();
  return told;
}

test('a stream reports a put and an update with the old and the new item', async () => {
  const told = await streamWhile(async () => {
    await put('davit-job', 1);
    const names = { ExpressionAttributeNames: { '#port': 'port' }, ExpressionAttributeValues: { ':port': 2 } };
    const update = { Key: { agentName: 'davit-job' }, UpdateExpression: 'SET #port = :port', ...names };
    await client.send(new UpdateCommand({ TableName, ...update }));
  });

  const [first, last] = [told.at(0), told.at(-1)];
  expect(first).toMatchObject({ eventName: 'INSERT', dynamodb: { Keys: { agentName: { S: 'davit-job' } } } });
  expect(first?.dynamodb).not.toHaveProperty('OldImage');
  expect(last?.dynamodb).toMatchObject({ NewImage: { agentName: { S: 'davit-job' }, port: { N: '2' } } });
});

test('a stream reports a change of an earlier item, with the old item', async () => {
  await put('davit-job', 1);

  const told = await streamWhile(() => put('davit-job', 2));

  expect(told).toMatchObject([
    { eventName: 'MODIFY', dynamodb: { OldImage: { port: { N: '1' } }, NewImage: { port: { N: '2' } } } },
  ]);
});

test('a stream does not report a write that is refused or changes nothing', async () => {
  await put('davit-job', 1);

  const told = await streamWhile(async () => {
    await put('davit-job', 1);
    const refused = new PutCommand({
      TableName,
      Item: { agentName: 'davit-job', port: 3 },
      ConditionExpression: 'attribute_not_exists(agentName)',
    });
    await expect(client.send(refused)).rejects.toMatchObject({ name: 'ConditionalCheckFailedException' });
  });

  expect(told).toEqual([]);
});

test('a stream reports simultaneous writes of one item separately, in the order of their effects', async () => {
  const ports = [1, 2, 3, 4, 5];

  const told = await streamWhile(() => Promise.all(ports.map((port) => put('davit-job', port))));

  const images = told.map(({ dynamodb: { OldImage, NewImage } }) => [OldImage, NewImage]);
  expect(images).toHaveLength(5);
  expect(images.slice(1).map(([before]) => before)).toEqual(images.slice(0, -1).map(([, after]) => after));
});

test('a stream reports nothing after its end', async () => {
  const told = await streamWhile(() => put('davit-a', 1));

  await put('davit-b', 1);

  expect(told).toHaveLength(1);
});

test('a stream numbers each change, in ascending order', async () => {
  const told = await streamWhile(async () => {
    for (const name of ['davit-a', 'davit-b', 'davit-c']) await put(name, 1);
  });

  expect(told.map(({ dynamodb }) => dynamodb.SequenceNumber)).toEqual(['1', '2', '3']);
});

test('a client that disconnects in the middle of a request does no harm', async () => {
  await new Promise<void>((resolve) => {
    const socket = connect(server.port, '127.0.0.1', () => {
      socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\nhalf', () => socket.destroy());
    });
    socket.on('close', () => resolve());
  });

  await put('davit-job', 1);
});
