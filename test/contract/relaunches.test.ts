import { afterAll } from '@jest/globals';
import { createDynamoLaunches } from '../../functions/adapters/aws/create-dynamo-launches.ts';
import { launchesTable } from '../../functions/adapters/aws/table-definitions.ts';
import { MemoryLaunches } from '../support/memory-launches.ts';
import { startDynalite } from '../support/start-dynalite.ts';
import { describeRelaunches } from './relaunches.contract.ts';

const dynalite = await startDynalite();
afterAll(() => dynalite.stop());

describeRelaunches('memory', async () => new MemoryLaunches());
describeRelaunches('DynamoDB', async () => createDynamoLaunches(await dynalite.createTable(launchesTable)));
