import { createDynamoJobs } from '../../adapters/aws/create-dynamo-jobs.ts';
import { jobsTable } from '../../adapters/aws/table-definitions.ts';
import type { ReportUnreadable } from '../../adapters/read-job-items.ts';
import { openStore } from '../../local/store/open-store.ts';
import { sqliteJobs } from '../../local/store/sqlite-jobs.ts';
import { untraced } from '../../ports/trace.ts';
import { startDynamoDb } from '../support/start-dynamo-db.ts';
import { describeJobs, describeStoredJobs } from './jobs.contract.ts';

const database = await startDynamoDb();
afterAll(() => database.stop());

const adapters = {
  SQLite: async (report?: ReportUnreadable) => sqliteJobs(openStore(':memory:'), untraced, report),
  DynamoDB: async (report?: ReportUnreadable) =>
    createDynamoJobs(await database.createTable(jobsTable), untraced, report),
};
for (const [name, makeJobs] of Object.entries(adapters)) {
  describeJobs(name, makeJobs);
  describeStoredJobs(name, makeJobs);
}
