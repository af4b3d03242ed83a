import { createDynamoClusterStates } from '../../adapters/aws/create-dynamo-cluster-states.ts';
import { clustersTable } from '../../adapters/aws/table-definitions.ts';
import { openStore } from '../../local/store/open-store.ts';
import { sqliteClusterStates } from '../../local/store/sqlite-cluster-states.ts';
import { startDynamoDb } from '../support/start-dynamo-db.ts';
import { describeClusterStates } from './cluster-states.contract.ts';

const database = await startDynamoDb();
afterAll(() => database.stop());

describeClusterStates('SQLite', async () => sqliteClusterStates(openStore(':memory:')));
describeClusterStates('DynamoDB', async () => createDynamoClusterStates(await database.createTable(clustersTable)));
