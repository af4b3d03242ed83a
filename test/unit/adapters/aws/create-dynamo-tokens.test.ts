import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { createDynamoTokenPublisher, createDynamoTokenReader } from '../../../../adapters/aws/create-dynamo-tokens.ts';
import { tokensTable } from '../../../../adapters/aws/table-definitions.ts';
import { startDynamoDb } from '../../../support/start-dynamo-db.ts';

const database = await startDynamoDb();
const table = await database.createTable(tokensTable);
const reader = createDynamoTokenReader(table);
const publisher = createDynamoTokenPublisher(table);
afterAll(() => database.stop());

const token = {
  agentName: 'davit-job',
  launchId: 'job',
  host: '10.0.0.7',
  port: 30_001,
  tls: false,
  publishedAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-01-01T01:00:00.500Z',
};

async function putItem(item: Record<string, unknown>): Promise<void> {
  await database.client.send(new PutCommand({ TableName: table.tableName, Item: item }));
}

test('DynamoDB removes a token 14 days after its expiry; until then a late agent gets 410', async () => {
  await publisher.publish({ token });

  const Key = { agentName: token.agentName };
  const { Item } = await database.client.send(new GetCommand({ TableName: table.tableName, Key }));

  // 2026-01-15T01:00:01Z
  expect(Item?.[tokensTable.timeToLiveAttribute]).toBe(1_768_438_801);
});

test('a token that lacks any of its fields is never read', async () => {
  for (const missing of Object.keys(token)) {
    const { [missing]: _, ...partial } = Object.fromEntries(Object.entries(token));
    const agentName = `davit-without-${missing.toLowerCase()}`;
    await putItem({ agentName, token: partial, expiresAtEpochSeconds: 1 });

    await expect(reader.get(agentName)).rejects.toThrow(missing);
  }
});

test.each([0, -1, 65_536, 8811.5])('a token with port %d is neither written nor read', async (port) => {
  const agentName = `davit-port-${Math.abs(port)}`.replace('.', '-');
  const bad = { ...token, agentName, port };

  await expect(publisher.publish({ token: bad })).rejects.toThrow('port');
  expect(await reader.get(agentName)).toBeUndefined();

  await putItem({ agentName, token: bad, expiresAtEpochSeconds: 1 });
  await expect(reader.get(agentName)).rejects.toThrow('port');
});
