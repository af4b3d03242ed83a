import { ClusterState } from '../../core/cluster/cluster-state.ts';
import { clusterStatesIn } from '../../logic/records/cluster-states-in.ts';
import { tracedClusters } from '../../logic/traces/traced-records.ts';
import type { ClusterStates } from '../../ports/cluster-states.ts';
import { type Trace, untraced } from '../../ports/trace.ts';
import type { Store } from './open-store.ts';
import { itemOf, sqliteRecords } from './sqlite-records.ts';

/** Keeps the clusters' states in the store. */
export function sqliteClusterStates(store: Store, trace: Trace = untraced): ClusterStates {
  const { sql } = store;
  const records = sqliteRecords<ClusterState>(store, {
    read: (item) => ({ record: ClusterState.parse(item) }),
    isPublished: true,
    select: (cluster) => sql.get`SELECT revision, item FROM cluster WHERE cluster = ${cluster}`,
    put: (cluster, { expiresAtEpochSeconds }, revision, item) => {
      sql.run`INSERT OR REPLACE INTO cluster VALUES (${cluster}, ${revision}, ${expiresAtEpochSeconds}, ${item})`;
    },
  });
  return clusterStatesIn(tracedClusters(records, trace), async () =>
    store.read(() => sql.all`SELECT item FROM cluster`.map((row) => ClusterState.parse(itemOf(row)))),
  );
}
