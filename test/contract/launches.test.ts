import { createDynamoLaunches } from '../../adapters/aws/create-dynamo-launches.ts';
import { launchesTable } from '../../adapters/aws/table-definitions.ts';
import { openStore } from '../../local/store/open-store.ts';
import { sqliteLaunches } from '../../local/store/sqlite-launches.ts';
import { damageRecord, damageRow } from '../support/damage-record.ts';
import { MemoryLaunches } from '../support/memory-launches.ts';
import { dynamoDbRuns, startDynamoDb } from '../support/start-dynamo-db.ts';
import { describeLaunches } from './launches.contract.ts';

const database = await startDynamoDb();
afterAll(() => database.stop());

describeLaunches('memory', async () => {
  const launches = new MemoryLaunches();
  return { launches, damage: async (launchId) => launches.damage(launchId) };
});
describeLaunches('SQLite', async () => {
  const store = openStore(':memory:');
  return { launches: sqliteLaunches(store), damage: async (launchId) => damageRow(store, launchId) };
});
describeLaunches(
  'DynamoDB',
  async () => {
    const table = await database.createTable(launchesTable);
    return { launches: createDynamoLaunches(table), damage: (launchId) => damageRecord(table, launchId) };
  },
  dynamoDbRuns,
);
