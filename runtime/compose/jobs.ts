import { createDynamoJobs } from '../../adapters/aws/create-dynamo-jobs.ts';
import type { DynamoClient } from '../../adapters/aws/dynamo-table.ts';
import type { Jobs } from '../../ports/jobs.ts';
import { environment } from '../environment.ts';
import { traceWrites } from '../trace-writes.ts';

/** Composes the jobs table, from the environment. */
export function composeJobs(client: DynamoClient): Jobs {
  return createDynamoJobs({ client, tableName: environment('DAVIT_JOBS_TABLE') }, traceWrites);
}
