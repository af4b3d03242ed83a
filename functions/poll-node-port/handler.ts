import { createDynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { composeClusters } from '../../runtime/compose/clusters.ts';
import { composeLaunches } from '../../runtime/compose/tables.ts';
import { eventHandler } from '../../runtime/event-handler.ts';
import { PollNodePortInput, PollNodePortOutput, pollNodePort } from './poll-node-port.ts';

const client = createDynamoClient();
const { openCluster, clusterStates } = composeClusters(client);
const deps = { openCluster, clusterStates, launches: composeLaunches(client), nowEpochMs: Date.now };

/** The PollNodePort state's Lambda. */
export const handler = eventHandler({
  name: 'PollNodePort',
  Input: PollNodePortInput,
  Output: PollNodePortOutput,
  run: (input) => pollNodePort(deps, input),
});
