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

const activeWithinSeconds = 20;

/**
 * Creates the tables that do not exist yet, and waits until all are ACTIVE.
 *
 * @throws Error if a table exists with another key. The SDK's error if a definition is not valid.
 */
export async function createTables(
  url: string,
  secretAccessKey: string,
  definitions: readonly CreateTableCommandInput[],
): Promise<void> {
  const credentials = { accessKeyId: 'local', secretAccessKey };
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
    { client, maxWaitTime: activeWithinSeconds, minDelay: 0.01, maxDelay: 0.1 },
    { TableName },
  );
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  if (isDeepStrictEqual(Table?.KeySchema, KeySchema)) return;
  const found = JSON.stringify(Table?.KeySchema);
  throw new Error(`table ${TableName}: expected the key ${JSON.stringify(KeySchema)}, found ${found}`);
}
