import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { clientSettings } from './clients.ts';

/** Makes the client of the tables. Fields that are undefined are left out of what is written. */
export function createDynamoClient(): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(new DynamoDBClient(clientSettings), {
    marshallOptions: { removeUndefinedValues: true },
  });
}
