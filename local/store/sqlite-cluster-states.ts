import { afterReport, type ClusterReport, ClusterState } from '../../core/cluster/cluster-state.ts';
import { writtenCluster } from '../../core/trace/written-of.ts';
import type { ClusterStates } from '../../ports/cluster-states.ts';
import { type Trace, untraced } from '../../ports/trace.ts';
import type { Store } from './open-store.ts';
import { jsonOf } from './rows.ts';

/** Keeps the clusters' states in the store. */
export function sqliteClusterStates(store: Store, trace: Trace = untraced): ClusterStates {
  const { sql } = store;
  return {
    get: async (cluster) => store.read(() => stateOf(store, cluster)),
    list: async () =>
      store.read(() => sql.all`SELECT item FROM cluster`.map((row) => ClusterState.parse(jsonOf(row, 'item')))),
    report: async (report) => {
      const { state, isWritten } = store.write(() => addReport(store, report));
      const { cluster, revision } = state;
      const fields = writtenCluster(state);
      if (isWritten) trace({ kind: 'cluster', key: cluster, revision, command: report.kind, fields });
      return state;
    },
  };
}

/** The state in effect after a report, and whether the report has changed it. */
function addReport(store: Store, report: ClusterReport): { state: ClusterState; isWritten: boolean } {
  const known = stateOf(store, report.cluster);
  const next = afterReport(known, report);
  if (next === undefined) {
    if (known === undefined) throw new TypeError('a first report is always news');
    return { state: known, isWritten: false };
  }
  const { cluster, expiresAtEpochSeconds } = next;
  store.sql.run`INSERT OR REPLACE INTO cluster VALUES (${cluster}, ${expiresAtEpochSeconds}, ${JSON.stringify(next)})`;
  store.publish(known, next);
  return { state: next, isWritten: true };
}

function stateOf({ sql }: Store, cluster: string): ClusterState | undefined {
  const row = sql.get`SELECT item FROM cluster WHERE cluster = ${cluster}`;
  return row && ClusterState.parse(jsonOf(row, 'item'));
}
