import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { dynamoDb } from '../../functions/adapters/aws/aws-services.ts';
import type { DynamoTable } from '../../functions/adapters/aws/dynamo-table.ts';
import { createJsonClient } from '../../functions/adapters/aws/json-client.ts';
import type { TableDefinition } from '../../functions/adapters/aws/table-definitions.ts';
import { startDynamoDbServer } from '../../local/dynamodb/dynamodb-server.ts';
import { localAws } from '../../local/local-aws.ts';

/** A DynamoDB in memory, and the SDK's client of it, which knows nothing of davit's. */
export interface Dynalite {
  url: string;
  client: DynamoDBDocumentClient;
  /** Creates an empty table under a name of its own. */
  createTable: (definition: TableDefinition) => Promise<DynamoTable>;
  stop: () => Promise<void>;
}

/** Starts a DynamoDB in memory on a free port of the loopback interface. */
export async function startDynalite(): Promise<Dynalite> {
  const server = await startDynamoDbServer();
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
      return { client: createJsonClient(dynamoDb, localAws(url)), tableName };
    },
    async stop() {
      client.destroy();
      await server.stop();
    },
  };
}
