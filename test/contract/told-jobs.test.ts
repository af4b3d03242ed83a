import { createDynamoToldJobs } from '../../functions/adapters/aws/create-dynamo-told-jobs.ts';
import { jobsTable } from '../../functions/adapters/aws/table-definitions.ts';
import { MemoryToldJobs } from '../support/memory-told-jobs.ts';
import { startDynamoDb } from '../support/start-dynamo-db.ts';
import { describeToldJobs } from './told-jobs.contract.ts';

const database = await startDynamoDb();
afterAll(() => database.stop());

describeToldJobs('memory', async () => new MemoryToldJobs());
describeToldJobs('DynamoDB', async () => createDynamoToldJobs(await database.createTable(jobsTable)));
