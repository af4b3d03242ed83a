import { createDynamoLaunches } from '../../adapters/aws/create-dynamo-launches.ts';
import type { DynamoClient } from '../../adapters/aws/dynamo-table.ts';
import type { Launches } from '../../ports/launches.ts';
import { environment } from '../environment.ts';
import { traceWrites } from '../trace-writes.ts';

/** Composes the launches table, from the environment. */
export function composeLaunches(client: DynamoClient): Launches {
  return createDynamoLaunches({ client, tableName: environment('DAVIT_LAUNCHES_TABLE') }, traceWrites);
}
