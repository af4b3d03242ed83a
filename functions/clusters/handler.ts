import { createDynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { bundledConfig } from '../../runtime/bundled-config.ts';
import { composeClusterStates, composeLaunches } from '../../runtime/compose/tables.ts';
import { httpHandler } from '../../runtime/http/http-handler.ts';
import { logger } from '../../runtime/logger.ts';
import { metrics } from '../../runtime/metrics/metrics.ts';
import { answerClusters } from './clusters.ts';

const client = createDynamoClient();
const { clusters, profiles } = bundledConfig();
const deps = {
  clusters: clusters.map(({ name }) => name),
  profiles,
  clusterStates: composeClusterStates(client),
  launches: composeLaunches(client),
  nowEpochMs: Date.now,
};

/** Shows the state of the connections to the clusters. */
export const handler = httpHandler((request) => answerClusters(deps, request), { name: 'clusters', logger, metrics });
