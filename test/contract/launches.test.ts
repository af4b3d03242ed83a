import { afterAll } from '@jest/globals';
import { createDynamoLaunches } from '../../functions/adapters/aws/create-dynamo-launches.ts';
import { launchesTable } from '../../functions/adapters/aws/table-definitions.ts';
import { MemoryLaunches } from '../support/memory-launches.ts';
import { startDynalite } from '../support/start-dynalite.ts';
import { describeLaunches } from './launches.contract.ts';

const dynalite = await startDynalite();
afterAll(() => dynalite.stop());

describeLaunches('memory', async () => new MemoryLaunches());
describeLaunches('DynamoDB', async () => createDynamoLaunches(await dynalite.createTable(launchesTable)));
