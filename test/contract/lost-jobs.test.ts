import { createDynamoLostJobs } from '../../functions/adapters/aws/create-dynamo-lost-jobs.ts';
import { jobsTable } from '../../functions/adapters/aws/table-definitions.ts';
import { MemoryLostJobs } from '../support/memory-lost-jobs.ts';
import { startDynamoDb } from '../support/start-dynamo-db.ts';
import { describeLostJobs } from './lost-jobs.contract.ts';

const database = await startDynamoDb();
afterAll(() => database.stop());

describeLostJobs('memory', async () => new MemoryLostJobs());
describeLostJobs('DynamoDB', async () => createDynamoLostJobs(await database.createTable(jobsTable)));
