import { createDynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { composeClusters } from '../../runtime/compose/clusters.ts';
import { composeLaunches } from '../../runtime/compose/tables.ts';
import { eventHandler } from '../../runtime/event-handler.ts';
import { CreateServiceInput, CreateServiceOutput, createService } from './create-service.ts';

const client = createDynamoClient();
const { openCluster, clusterStates } = composeClusters(client);
const deps = { openCluster, clusterStates, launches: composeLaunches(client), nowEpochMs: Date.now };

/** The CreateService state's Lambda. */
export const handler = eventHandler({
  name: 'CreateService',
  Input: CreateServiceInput,
  Output: CreateServiceOutput,
  run: (input) => createService(deps, input),
});
