import { createDynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { composeClusters } from '../../runtime/compose/clusters.ts';
import { composeLaunches } from '../../runtime/compose/tables.ts';
import { eventHandler } from '../../runtime/event-handler.ts';
import { RelaunchInput, RelaunchOutput, relaunch } from './relaunch.ts';

const client = createDynamoClient();
const { openCluster, clusterStates } = composeClusters(client);
const deps = { openCluster, clusterStates, launches: composeLaunches(client), nowEpochMs: Date.now };

/** The Relaunch state's Lambda. */
export const handler = eventHandler({
  name: 'Relaunch',
  Input: RelaunchInput,
  Output: RelaunchOutput,
  run: (input) => relaunch(deps, input),
});
