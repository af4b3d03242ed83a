import { createDynamoSlots } from '../../functions/adapters/aws/create-dynamo-slots.ts';
import { jobsTable } from '../../functions/adapters/aws/table-definitions.ts';
import { MemorySlots } from '../support/memory-slots.ts';
import { startDynamoDb } from '../support/start-dynamo-db.ts';
import { describeSlots } from './slots.contract.ts';

const database = await startDynamoDb();
afterAll(() => database.stop());

describeSlots('memory', async () => new MemorySlots());
describeSlots('DynamoDB', async () => createDynamoSlots(await database.createTable(jobsTable)));
