import { createDynamoClusterStates } from '../../adapters/aws/create-dynamo-cluster-states.ts';
import { clustersTable } from '../../adapters/aws/table-definitions.ts';
import { sqliteClusterStates } from '../../local/store/sqlite-cluster-states.ts';
import { describeClusterStates } from './cluster-states.contract.ts';
import { startDatabases } from './databases.ts';

const { inEach } = await startDatabases();
for (const row of inEach(sqliteClusterStates, createDynamoClusterStates, clustersTable)) describeClusterStates(...row);
