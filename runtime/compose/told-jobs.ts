import { createDynamoToldJobs } from '../../adapters/aws/create-dynamo-told-jobs.ts';
import type { DynamoClient } from '../../adapters/aws/dynamo-table.ts';
import type { ToldJobs } from '../../ports/told-jobs.ts';
import { environment } from '../environment.ts';

/** Composes the store of reports on jobs, from the environment. */
export function composeToldJobs(client: DynamoClient): ToldJobs {
  return createDynamoToldJobs({ client, tableName: environment('DAVIT_JOBS_TABLE') });
}
