import { createDynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { sleepUnlessAborted } from '../../logic/steps/sleep.ts';
import { composeClusters } from '../../runtime/compose/clusters.ts';
import { composeLaunches } from '../../runtime/compose/tables.ts';
import { eventHandler } from '../../runtime/event-handler.ts';
import { AwaitAgentInput, AwaitAgentOutput, awaitAgent } from './await-agent.ts';

const client = createDynamoClient();
const { openCluster, clusterStates } = composeClusters(client);
const deps = {
  openCluster,
  clusterStates,
  launches: composeLaunches(client),
  sleepMs: sleepUnlessAborted,
  nowEpochMs: Date.now,
};

/** The AwaitAgent state's Lambda. */
export const handler = eventHandler({
  name: 'AwaitAgent',
  Input: AwaitAgentInput,
  Output: AwaitAgentOutput,
  run: (input) => awaitAgent(deps, input),
});
