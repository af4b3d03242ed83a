import { createDynamoLaunches, createDynamoRegistrations } from '../../adapters/aws/create-dynamo-launches.ts';
import { launchesTable } from '../../adapters/aws/table-definitions.ts';
import { openStore } from '../../local/store/open-store.ts';
import { sqliteLaunches } from '../../local/store/sqlite-launches.ts';
import { registrationsIn } from '../../logic/records/registrations-in.ts';
import { MemoryLaunches } from '../support/memory-launches.ts';
import { dynamoDbRuns, startDynamoDb } from '../support/start-dynamo-db.ts';
import { describeRegistrations } from './registrations.contract.ts';

const database = await startDynamoDb();
afterAll(() => database.stop());

describeRegistrations('memory', async () => {
  const launches = new MemoryLaunches();
  return { launches, registrations: registrationsIn(launches.records) };
});
describeRegistrations('SQLite', async () => {
  const store = openStore(':memory:');
  const launches = sqliteLaunches(store);
  return { launches, registrations: registrationsIn(launches.records) };
});
describeRegistrations(
  'DynamoDB',
  async () => {
    const table = await database.createTable(launchesTable);
    return { launches: createDynamoLaunches(table), registrations: createDynamoRegistrations(table) };
  },
  dynamoDbRuns,
);
