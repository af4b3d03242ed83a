import { afterAll } from '@jest/globals';
import { createDynamoLaunches } from '../../functions/adapters/aws/create-dynamo-launches.ts';
import { launchesTable } from '../../functions/adapters/aws/table-definitions.ts';
import { damageRecord } from '../support/damage-record.ts';
import { MemoryLaunches } from '../support/memory-launches.ts';
import { startDynalite } from '../support/start-dynalite.ts';
import { describeLaunches } from './launches.contract.ts';

const dynalite = await startDynalite();
afterAll(() => dynalite.stop());

describeLaunches('memory', async () => {
  const launches = new MemoryLaunches();
  return { launches, damage: async (launchId) => launches.damage(launchId) };
});
describeLaunches('DynamoDB', async () => {
  const table = await dynalite.createTable(launchesTable);
  return { launches: createDynamoLaunches(table), damage: (launchId) => damageRecord(table, launchId) };
});
