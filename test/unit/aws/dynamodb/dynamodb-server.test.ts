import { spawnSync } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type CreateTableCommandInput,
  DynamoDBClient,
  GetItemCommand,
  type GlobalSecondaryIndex,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import { getIndexActions, type Item } from 'dynalite/db/index.js';
import { startDynamoDbServer } from '../../../aws/dynamodb/dynamodb-server.ts';
import { openStore } from '../../../aws/dynamodb/operations.ts';

const tokens: CreateTableCommandInput = {
  TableName: 'tokens',
  AttributeDefinitions: [{ AttributeName: 'agentName', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'agentName', KeyType: 'HASH' }],
  BillingMode: 'PAY_PER_REQUEST',
};

const byStatus: GlobalSecondaryIndex = {
  IndexName: 'byStatus',
  KeySchema: [{ AttributeName: 'status', KeyType: 'HASH' }],
  Projection: { ProjectionType: 'ALL' },
};
const launches: CreateTableCommandInput = {
  TableName: 'launches',
  AttributeDefinitions: [
    { AttributeName: 'launchId', AttributeType: 'S' },
    { AttributeName: 'status', AttributeType: 'S' },
  ],
  KeySchema: [{ AttributeName: 'launchId', KeyType: 'HASH' }],
  GlobalSecondaryIndexes: [byStatus],
  BillingMode: 'PAY_PER_REQUEST',
};

/** Does only the first half of a write: the change of the index, before the item. */
async function writeAheadOfItem(directory: string, item: Item): Promise<void> {
  const store = openStore(join(directory, 'dynamodb'));
  const table = await promisify(store.getTable.bind(store))('launches');
  const [key = ''] = await Array.fromAsync(store.getItemDb('launches').createKeyStream());
  const before = await promisify(store.getItemDb('launches').get)(key);
  const { puts, deletes } = getIndexActions(table.GlobalSecondaryIndexes ?? [], before, item, table);
  const index = store.getIndexDb('Global', 'launches', 'byStatus');
  for (const entry of deletes) await promisify(index.del)(entry.key);
  for (const entry of puts) await promisify(index.put)(entry.key, entry.item);
  await store.lifecycleManager.gracefulClose();
}

async function statusesIn(url: string, status: string): Promise<unknown[]> {
  const query = new QueryCommand({
    TableName: 'launches',
    IndexName: 'byStatus',
    KeyConditionExpression: '#status = :status',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':status': { S: status } },
  });
  return (await clientOf(url).send(query)).Items ?? [];
}

const item = { agentName: { S: 'a' }, port: { N: '30000' } };

function clientOf(endpoint: string): DynamoDBClient {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return new DynamoDBClient({ endpoint, region: 'us-east-1', credentials });
}

const newDirectory = () => mkdtemp(join(tmpdir(), 'davit-dynamodb-'));

/** The pid of an ended process. */
function deadPid(): number {
  return spawnSync(process.execPath, ['--version']).pid;
}

describe('the data', () => {
  test('survives a restart', async () => {
    const directory = await newDirectory();
    const first = await startDynamoDbServer({ directory });
    await first.createTables([tokens]);
    await clientOf(first.url).send(new PutItemCommand({ TableName: 'tokens', Item: item }));
    await first.stop();

    await using second = await startDynamoDbServer({ directory });
    await second.createTables([tokens]);

    const command = new GetItemCommand({ TableName: 'tokens', Key: { agentName: { S: 'a' } }, ConsistentRead: true });
    expect((await clientOf(second.url).send(command)).Item).toEqual(item);
  });

  test('has an index that matches its table after a kill between the entry and the item', async () => {
    const directory = await newDirectory();
    const first = await startDynamoDbServer({ directory });
    await first.createTables([launches]);
    const launch = { launchId: { S: 'a' }, status: { S: 'connected' } };
    await clientOf(first.url).send(new PutItemCommand({ TableName: 'launches', Item: launch }));
    await first.stop();
    await writeAheadOfItem(directory, { ...launch, status: { S: 'cleaning' } });

    await using second = await startDynamoDbServer({ directory });
    await second.createTables([launches]);

    expect(await statusesIn(second.url, 'cleaning')).toEqual([]);
    expect(await statusesIn(second.url, 'connected')).toEqual([launch]);
  });

  test('a table of an earlier version gets a missing index, with its items', async () => {
    const directory = await newDirectory();
    const first = await startDynamoDbServer({ directory });
    const { GlobalSecondaryIndexes: _none, AttributeDefinitions = [], ...earlier } = launches;
    await first.createTables([{ ...earlier, AttributeDefinitions: AttributeDefinitions.slice(0, 1) }]);
    const put = (url: string, launchId: string) => {
      const Item = { launchId: { S: launchId }, status: { S: 'connected' } };
      return clientOf(url).send(new PutItemCommand({ TableName: 'launches', Item }));
    };
    await put(first.url, 'a');
    await first.stop();

    await using second = await startDynamoDbServer({ directory });
    await second.createTables([launches]);
    await put(second.url, 'b');

    expect(await statusesIn(second.url, 'connected')).toHaveLength(2);
  });

  test('keeps an item when a condition fails', async () => {
    await using server = await startDynamoDbServer();
    await server.createTables([tokens]);
    const put = () =>
      clientOf(server.url).send(
        new PutItemCommand({ TableName: 'tokens', Item: item, ConditionExpression: 'attribute_not_exists(agentName)' }),
      );
    await put();

    await expect(put()).rejects.toMatchObject({ name: 'ConditionalCheckFailedException' });
  });

  test("is refused, with the table's name, when the table has another key", async () => {
    await using server = await startDynamoDbServer();
    await server.createTables([tokens]);
    const other: CreateTableCommandInput = {
      ...tokens,
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    };

    await expect(server.createTables([other])).rejects.toThrow(
      /^table tokens: expected the key .*id.*, found .*agentName/,
    );
  });
});

describe('the directory', () => {
  test('of a living process is refused with its pid', async () => {
    const directory = await newDirectory();
    await writeFile(join(directory, 'runtime.lock'), String(process.ppid));

    await expect(startDynamoDbServer({ directory })).rejects.toThrow(
      `another davit runtime (pid ${process.ppid}) uses ${directory}`,
    );
  });

  test('of this process is refused', async () => {
    const directory = await newDirectory();
    await using first = await startDynamoDbServer({ directory });

    await expect(startDynamoDbServer({ directory })).rejects.toThrow(`(pid ${process.pid}) uses ${directory}`);
    expect(first.port).toBeGreaterThan(0);
  });

  test.each([
    ['a dead process', deadPid()],
    ['an earlier process with this pid in another container', process.pid],
    ['an unreadable owner', Number.NaN],
  ])('of %s is taken over', async (_whose, pid) => {
    const directory = await newDirectory();
    await writeFile(join(directory, 'runtime.lock'), String(pid));

    await using server = await startDynamoDbServer({ directory });

    await server.createTables([tokens]);
  });
});

test('a client that disconnects in the middle of a request does no harm', async () => {
  await using server = await startDynamoDbServer();

  await new Promise<void>((resolve) => {
    const socket = connect(server.port, '127.0.0.1', () => {
      socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\nhalf', () => socket.destroy());
    });
    socket.on('close', () => resolve());
  });

  await server.createTables([tokens]);
});
