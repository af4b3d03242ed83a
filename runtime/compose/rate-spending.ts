import { createDynamoRateSpending } from '../../adapters/aws/create-dynamo-rate-spending.ts';
import type { DynamoClient } from '../../adapters/aws/dynamo-table.ts';
import type { RateSpending } from '../../ports/rate-spending.ts';
import { environment } from '../environment.ts';

/** Composes the store of reconciling's use of rate limits, from the environment. */
export function composeRateSpending(client: DynamoClient): RateSpending {
  return createDynamoRateSpending({ client, tableName: environment('DAVIT_JOBS_TABLE') });
}
