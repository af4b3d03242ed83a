import { createDynamoLostJobs } from '../../adapters/aws/create-dynamo-lost-jobs.ts';
import type { DynamoClient } from '../../adapters/aws/dynamo-table.ts';
import type { LostJobs } from '../../ports/lost-jobs.ts';
import { environment } from '../environment.ts';

/** Composes the store of lost jobs, from the environment. */
export function composeLostJobs(client: DynamoClient): LostJobs {
  return createDynamoLostJobs({ client, tableName: environment('DAVIT_JOBS_TABLE') });
}
