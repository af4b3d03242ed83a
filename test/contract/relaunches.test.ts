import { createDynamoLaunches } from '../../adapters/aws/create-dynamo-launches.ts';
import { launchesTable } from '../../adapters/aws/table-definitions.ts';
import { openStore } from '../../local/store/open-store.ts';
import { sqliteLaunches } from '../../local/store/sqlite-launches.ts';
import { MemoryLaunches } from '../support/memory-launches.ts';
import { startDynamoDb } from '../support/start-dynamo-db.ts';
import { describeRelaunches } from './relaunches.contract.ts';

const database = await startDynamoDb();
afterAll(() => database.stop());

describeRelaunches('memory', async () => new MemoryLaunches());
describeRelaunches('SQLite', async () => sqliteLaunches(openStore(':memory:')));
describeRelaunches('DynamoDB', async () => createDynamoLaunches(await database.createTable(launchesTable)));
