import { afterReport, type ClusterState } from '../../core/cluster/cluster-state.ts';
import type { ClusterStates } from '../../ports/cluster-states.ts';
import type { RecordStore } from '../../ports/record-store.ts';
import { changeRecord } from './change-record.ts';

/**
 * The clusters' states in a store of records: a report is one transition.
 *
 * @param list lists every record, strongly consistent
 */
export function clusterStatesIn(store: RecordStore<ClusterState>, list: () => Promise<ClusterState[]>): ClusterStates {
  return {
    get: async (cluster) => (await store.read(cluster))?.record,
    list,
    async report(report) {
      // Two calls of one cluster; B was answered later, and is written first:
      //   A   reads 7 ─────────────────────────────► still 7? refused ──► reads 8, which knows of a later moment: nothing
      //   B             reads 7 ──► still 7? writes 8
      const { record } = await changeRecord(store, {
        key: report.cluster,
        name: report.kind,
        transition: (known) => afterReport(known, report) ?? known,
      });
      if (record === undefined) throw new TypeError('a first report is always news');
      return record;
    },
  };
}
