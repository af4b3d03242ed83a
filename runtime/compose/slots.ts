import { createDynamoSlots } from '../../adapters/aws/create-dynamo-slots.ts';
import type { DynamoClient } from '../../adapters/aws/dynamo-table.ts';
import type { Slots } from '../../ports/slots.ts';
import { environment } from '../environment.ts';
import { traceWrites } from '../trace-writes.ts';

/** Composes the slots of limits, from the environment. */
export function composeSlots(client: DynamoClient): Slots {
  return createDynamoSlots({ client, tableName: environment('DAVIT_JOBS_TABLE') }, traceWrites);
}
