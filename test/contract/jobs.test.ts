import { createDynamoJobs } from '../../functions/adapters/aws/create-dynamo-jobs.ts';
import { jobsTable } from '../../functions/adapters/aws/table-definitions.ts';
import { MemoryJobs } from '../support/memory-jobs.ts';
import { startDynamoDb } from '../support/start-dynamo-db.ts';
import { describeJobs } from './jobs.contract.ts';

const database = await startDynamoDb();
afterAll(() => database.stop());

describeJobs('memory', async () => new MemoryJobs());
describeJobs('DynamoDB', async () => createDynamoJobs(await database.createTable(jobsTable)));
