import { createDynamoToldJobs } from '../../adapters/aws/create-dynamo-told-jobs.ts';
import { jobsTable } from '../../adapters/aws/table-definitions.ts';
import { openStore } from '../../local/store/open-store.ts';
import { sqliteToldJobs } from '../../local/store/sqlite-ci-memory.ts';
import { startDynamoDb } from '../support/start-dynamo-db.ts';
import { describeToldJobs } from './told-jobs.contract.ts';

const database = await startDynamoDb();
afterAll(() => database.stop());

describeToldJobs('SQLite', async () => sqliteToldJobs(openStore(':memory:')));
describeToldJobs('DynamoDB', async () => createDynamoToldJobs(await database.createTable(jobsTable)));
