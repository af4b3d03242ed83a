import { createDynamoLaunches, createDynamoRegistrations } from '../../../../adapters/aws/create-dynamo-launches.ts';
import type { DynamoTable } from '../../../../adapters/aws/dynamo-table.ts';
import { launchesTable } from '../../../../adapters/aws/table-definitions.ts';
import { agentOf, epochMs, jobRunner, joinedPlanOf, recordOf } from '../../../contract/launch-fixtures.ts';
import { startDynamoDb } from '../../../support/start-dynamo-db.ts';

const database = await startDynamoDb();
afterAll(() => database.stop());

const runner = { id: 7, name: 'davit-0a1b2c3d-job' };

test('binds a job whose agent registers between the refused binding and the read', async () => {
  const table = await database.createTable(launchesTable);
  const [launches, registrations] = [createDynamoLaunches(table), createDynamoRegistrations(table)];
  await launches.request(recordOf('job', { plan: joinedPlanOf('job') }));
  await registrations.begin(agentOf('job'), 'nonce', epochMs);
  beforeFirstRead(table, () => registrations.complete(agentOf('job'), 'nonce', runner, epochMs));

  const bound = await registrations.bind('job', jobRunner(runner.id), { jobKey: 'gitea/1/8/1' }, epochMs + 1);

  expect(bound).toMatchObject({ runner, runs: { jobKey: 'gitea/1/8/1' } });
  expect(await launches.get('job')).toEqual(bound);
});

test('retires a launch that is requested between the refused retirement and the read', async () => {
  const table = await database.createTable(launchesTable);
  const [launches, registrations] = [createDynamoLaunches(table), createDynamoRegistrations(table)];
  beforeFirstRead(table, () => launches.request(recordOf('job', { plan: joinedPlanOf('job') })));

  const retired = await registrations.retire('job', 'surplus', epochMs);

  expect(retired).toMatchObject({ status: 'launching', retiring: { reason: 'surplus' } });
  expect(await launches.get('job')).toEqual(retired);
});

function beforeFirstRead({ client }: DynamoTable, act: () => Promise<unknown>): void {
  let isFirst = true;
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (call) => {
        if (commandName === 'GetItemCommand' && isFirst) {
          isFirst = false;
          await act();
        }
        return await next(call);
      },
    { step: 'initialize' },
  );
}
