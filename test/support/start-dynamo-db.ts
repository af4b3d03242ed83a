import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createDynamoClient, type DynamoTable } from '../../adapters/aws/dynamo-table.ts';
import type { TableDefinition } from '../../adapters/aws/table-definitions.ts';
import { type DynamoDbServer, startDynamoDbServer } from './aws/dynamodb/dynamodb-server.ts';
import { localAws } from './aws/local-aws.ts';

/** Names the DynamoDB that tests use instead of dynalite: `npm run prove -- aws` sets it to DynamoDB Local's URL. */
export const dynamoDbVariable = 'DAVIT_TEST_DYNAMODB_URL';

/** How many runs a property of a table gets here: all are made on DynamoDB Local. */
export const dynamoDbRuns = process.env[dynamoDbVariable] === undefined ? 3 : 25;

/** An in-memory DynamoDB, and the SDK's client for it. */
export interface DynamoDb {
  url: string;
  client: DynamoDBDocumentClient;
  /** Creates an empty table with a unique name. */
  createTable: (definition: TableDefinition) => Promise<DynamoTable>;
  stop: () => Promise<void>;
}

/** Starts dynalite on a free port of the loopback interface, or uses the DynamoDB that the environment names. */
export async function startDynamoDb(): Promise<DynamoDb> {
  const url = process.env[dynamoDbVariable];
  return url === undefined ? connect(await startDynamoDbServer()) : connect({ url, stop: async () => {} });
}

function connect(server: Pick<DynamoDbServer, 'url' | 'stop'>): DynamoDb {
  const { url } = server;
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint: url, region: 'us-east-1', credentials });
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  return {
    url,
    client: documents,
    async createTable(definition) {
      const tableName = `test-${randomUUID()}`;
      await client.send(new CreateTableCommand({ TableName: tableName, ...definition.schema }));
      await waitUntilTableExists({ client, maxWaitTime: 10, minDelay: 0.01, maxDelay: 0.1 }, { TableName: tableName });
      return { client: createDynamoClient(localAws(url)), tableName };
    },
    async stop() {
      client.destroy();
      await server.stop();
    },
  };
}
