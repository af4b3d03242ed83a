import { createDynamoClusterStates } from '../../functions/adapters/aws/create-dynamo-cluster-states.ts';
import { clustersTable } from '../../functions/adapters/aws/table-definitions.ts';
import { MemoryClusterStates } from '../support/memory-cluster-states.ts';
import { startDynamoDb } from '../support/start-dynamo-db.ts';
import { describeClusterStates } from './cluster-states.contract.ts';

const database = await startDynamoDb();
afterAll(() => database.stop());

describeClusterStates('memory', async () => new MemoryClusterStates());
describeClusterStates('DynamoDB', async () => createDynamoClusterStates(await database.createTable(clustersTable)));
