import { createDynamoLostJobs } from '../../adapters/aws/create-dynamo-lost-jobs.ts';
import { jobsTable } from '../../adapters/aws/table-definitions.ts';
import { openStore } from '../../local/store/open-store.ts';
import { sqliteLostJobs } from '../../local/store/sqlite-ci-memory.ts';
import { startDynamoDb } from '../support/start-dynamo-db.ts';
import { describeLostJobs } from './lost-jobs.contract.ts';

const database = await startDynamoDb();
afterAll(() => database.stop());

describeLostJobs('SQLite', async () => sqliteLostJobs(openStore(':memory:')));
describeLostJobs('DynamoDB', async () => createDynamoLostJobs(await database.createTable(jobsTable)));
