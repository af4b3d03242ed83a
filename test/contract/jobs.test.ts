import { createDynamoJobs } from '../../adapters/aws/create-dynamo-jobs.ts';
import { jobsTable } from '../../adapters/aws/table-definitions.ts';
import { openStore } from '../../local/store/open-store.ts';
import { sqliteJobs } from '../../local/store/sqlite-jobs.ts';
import { startDynamoDb } from '../support/start-dynamo-db.ts';
import { describeJobs, describeStoredJobs } from './jobs.contract.ts';

const database = await startDynamoDb();
afterAll(() => database.stop());

const adapters = {
  SQLite: async () => sqliteJobs(openStore(':memory:')),
  DynamoDB: async () => createDynamoJobs(await database.createTable(jobsTable)),
};
for (const [name, makeJobs] of Object.entries(adapters)) {
  describeJobs(name, makeJobs);
  describeStoredJobs(name, makeJobs);
}
