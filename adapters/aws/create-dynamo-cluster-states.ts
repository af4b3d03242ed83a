import { ClusterState } from '../../core/cluster/cluster-state.ts';
import { clusterStatesIn } from '../../logic/records/cluster-states-in.ts';
import { tracedClusters } from '../../logic/traces/traced-records.ts';
import type { ClusterStates } from '../../ports/cluster-states.ts';
import { type Trace, untraced } from '../../ports/trace.ts';
import { createDynamoRecords } from './create-dynamo-records.ts';
import { type DynamoTable, scanItems } from './dynamo-table.ts';

/** Keeps the clusters' states in DynamoDB. @see table-definitions.ts for the table */
export function createDynamoClusterStates(table: DynamoTable, trace: Trace = untraced): ClusterStates {
  const records = createDynamoRecords<ClusterState>(table, {
    keyOf: (cluster) => ({ cluster }),
    read: (item) => ({ record: ClusterState.parse(item) }),
  });
  return clusterStatesIn(tracedClusters(records, trace), async () =>
    (await scanItems(table)).map((item) => ClusterState.parse(item)),
  );
}
