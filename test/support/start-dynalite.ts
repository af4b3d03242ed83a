import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { DynamoTable } from '../../functions/adapters/aws/dynamo-table.ts';
import type { TableDefinition } from '../../functions/adapters/aws/table-definitions.ts';
import { startDynamoDbServer } from '../../local/dynamodb/dynamodb-server.ts';

/** A DynamoDB in memory, and a client of it. */
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
      return { client: documents, tableName };
    },
    async stop() {
      client.destroy();
      await server.stop();
    },
  };
}
