import { createDynamoClusterStates } from '../../adapters/aws/create-dynamo-cluster-states.ts';
import { createDynamoJobs } from '../../adapters/aws/create-dynamo-jobs.ts';
import { createDynamoLaunches, createDynamoRegistrations } from '../../adapters/aws/create-dynamo-launches.ts';
import { createDynamoSlots } from '../../adapters/aws/create-dynamo-slots.ts';
import { clustersTable, jobsTable, launchesTable } from '../../adapters/aws/table-definitions.ts';
import { openStore } from '../../local/store/open-store.ts';
import { sqliteClusterStates } from '../../local/store/sqlite-cluster-states.ts';
import { sqliteJobs } from '../../local/store/sqlite-jobs.ts';
import { sqliteLaunches, sqliteRegistrations } from '../../local/store/sqlite-launches.ts';
import { sqliteSlots } from '../../local/store/sqlite-slots.ts';
import { startDynamoDb } from '../support/start-dynamo-db.ts';
import { describeTraces } from './traces.contract.ts';

const database = await startDynamoDb();
afterAll(() => database.stop());

describeTraces('SQLite', async (trace) => {
  const store = openStore(':memory:');
  return {
    launches: sqliteLaunches(store, trace),
    registrations: sqliteRegistrations(store, trace),
    jobs: sqliteJobs(store, trace),
    slots: sqliteSlots(store, trace),
    clusterStates: sqliteClusterStates(store, trace),
  };
});
describeTraces('DynamoDB', async (trace) => {
  const launches = await database.createTable(launchesTable);
  const jobs = await database.createTable(jobsTable);
  return {
    launches: createDynamoLaunches(launches, trace),
    registrations: createDynamoRegistrations(launches, trace),
    jobs: createDynamoJobs(jobs, trace),
    slots: createDynamoSlots(jobs, trace),
    clusterStates: createDynamoClusterStates(await database.createTable(clustersTable), trace),
  };
});
