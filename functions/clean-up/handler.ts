import { createDynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { composeClusters } from '../../runtime/compose/clusters.ts';
import { composeJobs, composeLaunches, composeLostJobs } from '../../runtime/compose/tables.ts';
import { eventHandler } from '../../runtime/event-handler.ts';
import { logger } from '../../runtime/logger.ts';
import { metrics } from '../../runtime/metrics/metrics.ts';
import { CleanUpInput, CleanUpOutput, cleanUp, launchIdOfInput } from './clean-up.ts';
import { reportObserver } from './report-observer.ts';

const client = createDynamoClient();
const { openCluster, clusterStates } = composeClusters(client);
const deps = {
  openCluster,
  clusterStates,
  launches: composeLaunches(client),
  jobs: composeJobs(client),
  lost: composeLostJobs(client),
  nowEpochMs: Date.now,
};

/** The Lambda of the CleanUp state, and of every other request for a clean-up. */
export const handler = eventHandler({
  name: 'CleanUp',
  Input: CleanUpInput,
  Output: CleanUpOutput,
  run: async (input) => {
    const output = await cleanUp(deps, input);
    if (output.code === 'RemovalPending') logger.info(`left to the sweep: ${output.message}`);
    reportObserver({ metrics, log: logger }, launchIdOfInput(input), output);
    return output;
  },
});
