import { isDeepStrictEqual } from 'node:util';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { LOCAL_REGION } from '../lambda/function-name.ts';

const ACTIVE_WITHIN_SECONDS = 20;

/**
 * Creates the tables that do not exist yet, and waits until all are ACTIVE.
 *
 * @throws Error when a table exists with another key; the SDK's error when a definition is not valid.
 */
export async function createTables(url: string, definitions: readonly CreateTableCommandInput[]): Promise<void> {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint: url, region: LOCAL_REGION, credentials });
  try {
    await Promise.all(definitions.map((definition) => createTable(client, definition)));
  } finally {
    client.destroy();
  }
}

async function createTable(client: DynamoDBClient, definition: CreateTableCommandInput): Promise<void> {
  const { TableName, KeySchema } = definition;
  try {
    await client.send(new CreateTableCommand(definition));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  await waitUntilTableExists(
    { client, maxWaitTime: ACTIVE_WITHIN_SECONDS, minDelay: 0.01, maxDelay: 0.1 },
    { TableName },
  );
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  if (isDeepStrictEqual(Table?.KeySchema, KeySchema)) return;
  const found = JSON.stringify(Table?.KeySchema);
  throw new Error(`table ${TableName}: expected the key ${JSON.stringify(KeySchema)}, found ${found}`);
}
