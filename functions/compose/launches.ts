import { createDynamoLaunches } from '../adapters/aws/create-dynamo-launches.ts';
import { createDynamoClient } from '../adapters/aws/dynamo-table.ts';
import { environment } from '../environment.ts';
import type { Launches } from '../ports/launches.ts';

/**
 * Puts together the launches table, from the environment.
 *
 * @param client of DynamoDB, for a function that has one: a client's connections are its own
 */
export function composeLaunches(client = createDynamoClient()): Launches {
  return createDynamoLaunches({ client, tableName: environment('DAVIT_LAUNCHES_TABLE') });
}
