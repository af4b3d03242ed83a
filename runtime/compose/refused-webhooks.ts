import { createDynamoRefusedWebhooks } from '../../adapters/aws/create-dynamo-refused-webhooks.ts';
import type { DynamoClient } from '../../adapters/aws/dynamo-table.ts';
import type { RefusedWebhookStore } from '../../ports/refused-webhooks.ts';
import { environment } from '../environment.ts';

/** Composes the store of refused webhooks, from the environment. */
export function composeRefusedWebhooks(client: DynamoClient): RefusedWebhookStore {
  return createDynamoRefusedWebhooks({ client, tableName: environment('DAVIT_JOBS_TABLE') });
}
