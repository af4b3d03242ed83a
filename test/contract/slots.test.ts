import { createDynamoSlots } from '../../adapters/aws/create-dynamo-slots.ts';
import { jobsTable } from '../../adapters/aws/table-definitions.ts';
import { openStore } from '../../local/store/open-store.ts';
import { sqliteSlots } from '../../local/store/sqlite-slots.ts';
import { startDynamoDb } from '../support/start-dynamo-db.ts';
import { describeSlots } from './slots.contract.ts';

const database = await startDynamoDb();
afterAll(() => database.stop());

describeSlots('SQLite', async () => sqliteSlots(openStore(':memory:')));
describeSlots('DynamoDB', async () => createDynamoSlots(await database.createTable(jobsTable)));
