import { dynamoDb } from '../adapters/aws/aws-services.ts';
import { createDynamoLaunches } from '../adapters/aws/create-dynamo-launches.ts';
import { createJsonClient } from '../adapters/aws/json-client.ts';
import { environment } from '../config.ts';
import type { Launches } from '../ports/launches.ts';

/** Puts together the launches table, from the environment. */
export function composeLaunches(): Launches {
  return createDynamoLaunches({ client: createJsonClient(dynamoDb), tableName: environment('DAVIT_LAUNCHES_TABLE') });
}
