import { dynamoDb } from '../adapters/aws/aws-services.ts';
import { createDynamoLaunches } from '../adapters/aws/create-dynamo-launches.ts';
import { createJsonClient } from '../adapters/aws/json-client.ts';
import { environment } from '../config.ts';
import type { Launches } from '../ports/launches.ts';

/**
 * Puts together the launches table, from the environment.
 *
 * @param client of DynamoDB, for a function that has one: a client's connections are its own
 */
export function composeLaunches(client = createJsonClient(dynamoDb)): Launches {
  return createDynamoLaunches({ client, tableName: environment('DAVIT_LAUNCHES_TABLE') });
}
