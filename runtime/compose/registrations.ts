import { createDynamoRegistrations } from '../../adapters/aws/create-dynamo-launches.ts';
import type { DynamoClient } from '../../adapters/aws/dynamo-table.ts';
import type { Registrations } from '../../ports/registrations.ts';
import { environment } from '../environment.ts';
import { traceWrites } from '../trace-writes.ts';

/** Composes the registrations in the launches table, from the environment. */
export function composeRegistrations(client: DynamoClient): Registrations {
  return createDynamoRegistrations({ client, tableName: environment('DAVIT_LAUNCHES_TABLE') }, traceWrites);
}
