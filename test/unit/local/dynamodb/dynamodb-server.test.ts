import { spawnSync } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CreateTableCommandInput, DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { startDynamoDbServer } from '../../../../local/dynamodb/dynamodb-server.ts';

const tokens: CreateTableCommandInput = {
  TableName: 'tokens',
  AttributeDefinitions: [{ AttributeName: 'agentName', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'agentName', KeyType: 'HASH' }],
  BillingMode: 'PAY_PER_REQUEST',
};

const item = { agentName: { S: 'a' }, port: { N: '30000' } };

function clientOf(endpoint: string): DynamoDBClient {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return new DynamoDBClient({ endpoint, region: 'us-east-1', credentials });
}

const newDirectory = () => mkdtemp(join(tmpdir(), 'davit-dynamodb-'));

/** The pid of a process that is no more. */
function deadPid(): number {
  return spawnSync(process.execPath, ['--version']).pid;
}

describe('the data', () => {
  test('is there again after a stop and a start', async () => {
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

  test('a conditional write that does not hold is refused', async () => {
    await using server = await startDynamoDbServer();
    await server.createTables([tokens]);
    const put = () =>
      clientOf(server.url).send(
        new PutItemCommand({ TableName: 'tokens', Item: item, ConditionExpression: 'attribute_not_exists(agentName)' }),
      );
    await put();

    await expect(put()).rejects.toMatchObject({ name: 'ConditionalCheckFailedException' });
  });

  test('a table that exists with another key is named', async () => {
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
  test('that a living process has is refused by its pid', async () => {
    const directory = await newDirectory();
    await writeFile(join(directory, 'runtime.lock'), String(process.ppid));

    await expect(startDynamoDbServer({ directory })).rejects.toThrow(
      `another davit runtime (pid ${process.ppid}) uses ${directory}`,
    );
  });

  test('that this process has already is refused', async () => {
    const directory = await newDirectory();
    await using first = await startDynamoDbServer({ directory });

    await expect(startDynamoDbServer({ directory })).rejects.toThrow(`(pid ${process.pid}) uses ${directory}`);
    expect(first.port).toBeGreaterThan(0);
  });

  test.each([
    ['a dead process', deadPid()],
    ['a process of an earlier container, with this pid', process.pid],
    ['nobody that can be read', Number.NaN],
  ])('that %s has is taken over', async (_whose, pid) => {
    const directory = await newDirectory();
    await writeFile(join(directory, 'runtime.lock'), String(pid));

    await using server = await startDynamoDbServer({ directory });

    await server.createTables([tokens]);
  });
});

test('a client that goes away in the middle of a request harms nobody', async () => {
  await using server = await startDynamoDbServer();

  await new Promise<void>((resolve) => {
    const socket = connect(server.port, '127.0.0.1', () => {
      socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\nhalf', () => socket.destroy());
    });
    socket.on('close', () => resolve());
  });

  await server.createTables([tokens]);
});
