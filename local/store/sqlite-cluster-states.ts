import { afterReport, ClusterState } from '../../core/cluster/cluster-state.ts';
import type { ClusterStates } from '../../ports/cluster-states.ts';
import type { Store } from './open-store.ts';
import { jsonOf } from './rows.ts';

/** Keeps the clusters' states in the store. */
export function sqliteClusterStates(store: Store): ClusterStates {
  const { sql } = store;
  return {
    get: async (cluster) => store.read(() => stateOf(store, cluster)),
    list: async () =>
      store.read(() => sql.all`SELECT item FROM cluster`.map((row) => ClusterState.parse(jsonOf(row, 'item')))),
    report: async (report) =>
      store.write(() => {
        const known = stateOf(store, report.cluster);
        const next = afterReport(known, report);
        if (next === undefined) {
          if (known === undefined) throw new TypeError('a first report is always news');
          return known;
        }
        const { cluster, expiresAtEpochSeconds } = next;
        sql.run`INSERT OR REPLACE INTO cluster VALUES (${cluster}, ${expiresAtEpochSeconds}, ${JSON.stringify(next)})`;
        store.publish(known, next);
        return next;
      }),
  };
}

function stateOf({ sql }: Store, cluster: string): ClusterState | undefined {
  const row = sql.get`SELECT item FROM cluster WHERE cluster = ${cluster}`;
  return row && ClusterState.parse(jsonOf(row, 'item'));
}
