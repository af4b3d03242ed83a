import { createDynamoClusterStates } from '../../adapters/aws/create-dynamo-cluster-states.ts';
import type { DynamoClient } from '../../adapters/aws/dynamo-table.ts';
import type { ClusterStates } from '../../ports/cluster-states.ts';
import { environment } from '../environment.ts';
import { traceWrites } from '../trace-writes.ts';

/** Composes the clusters table, from the environment. */
export function composeClusterStates(client: DynamoClient): ClusterStates {
  return createDynamoClusterStates({ client, tableName: environment('DAVIT_CLUSTERS_TABLE') }, traceWrites);
}
