import { createDynamoFailingDeliveries } from '../../adapters/aws/create-dynamo-failing-deliveries.ts';
import type { DynamoClient } from '../../adapters/aws/dynamo-table.ts';
import type { FailingDeliveries } from '../../ports/failing-deliveries.ts';
import { environment } from '../environment.ts';

/** Composes the store of webhooks that have not arrived yet, from the environment. */
export function composeFailingDeliveries(client: DynamoClient): FailingDeliveries {
  return createDynamoFailingDeliveries({ client, tableName: environment('DAVIT_JOBS_TABLE') });
}
