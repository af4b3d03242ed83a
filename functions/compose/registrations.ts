import { createDynamoRegistrations } from '../adapters/aws/create-dynamo-registrations.ts';
import { createDynamoClient } from '../adapters/aws/dynamo-table.ts';
import { environment } from '../environment.ts';
import type { Registrations } from '../ports/registrations.ts';

/** Puts together what joining a CI system writes to the launches table, from the environment. */
export function composeRegistrations(): Registrations {
  return createDynamoRegistrations({ client: createDynamoClient(), tableName: environment('DAVIT_LAUNCHES_TABLE') });
}
