import { createDynamoJobs } from '../adapters/aws/create-dynamo-jobs.ts';
import { createDynamoClient } from '../adapters/aws/dynamo-table.ts';
import { environment } from '../environment.ts';
import type { Jobs } from '../ports/jobs.ts';

/** Puts together the jobs table, from the environment. */
export function composeJobs(): Jobs {
  return createDynamoJobs({ client: createDynamoClient(), tableName: environment('DAVIT_JOBS_TABLE') });
}
