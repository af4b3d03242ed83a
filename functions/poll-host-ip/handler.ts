import { createDynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { composeClusters } from '../../runtime/compose/clusters.ts';
import { composeLaunches } from '../../runtime/compose/tables.ts';
import { eventHandler } from '../../runtime/event-handler.ts';
import { PollHostIPInput, PollHostIPOutput, pollHostIP } from './poll-host-ip.ts';

const client = createDynamoClient();
const { openCluster, clusterStates } = composeClusters(client);
const deps = { openCluster, clusterStates, launches: composeLaunches(client), nowEpochMs: Date.now };

/** The PollHostIP state's Lambda. */
export const handler = eventHandler({
  name: 'PollHostIP',
  Input: PollHostIPInput,
  Output: PollHostIPOutput,
  run: (input) => pollHostIP(deps, input),
});
