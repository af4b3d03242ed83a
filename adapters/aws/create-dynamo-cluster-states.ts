import { afterReport, type ClusterReport, ClusterState } from '../../core/cluster/cluster-state.ts';
import { TransientError } from '../../core/errors/errors.ts';
import { writtenCluster } from '../../core/trace/written-of.ts';
import type { ClusterStates } from '../../ports/cluster-states.ts';
import { type Trace, untraced } from '../../ports/trace.ts';
import { type DynamoTable, getItem, putItemIf, putNewItem, scanItems } from './dynamo-table.ts';

/**
 * Keeps the clusters' states in DynamoDB, each write a conditional one of a single item.
 *
 * @see table-definitions.ts for the table
 */
export function createDynamoClusterStates(table: DynamoTable, trace: Trace = untraced): ClusterStates {
  return {
    get: (cluster) => getState(table, cluster),
    list: async () => (await scanItems(table)).map((item) => ClusterState.parse(item)),
    report: (report) => addReport(table, trace, report),
  };
}

async function getState(table: DynamoTable, cluster: string): Promise<ClusterState | undefined> {
  const item = await getItem(table, { cluster });
  return item === undefined ? undefined : ClusterState.parse(item);
}

/**
 * All steps that wait for one cluster report at once. After this many refused writes, the others have reported the same.
 */
const mostAttempts = 8;

async function addReport(table: DynamoTable, trace: Trace, report: ClusterReport): Promise<ClusterState> {
  // Two calls of one cluster; B was answered later, and is written first:
  //   A   reads 7 ──────────────────────────────► still 7? refused ──► reads 8, which knows of a later moment: nothing
  //   B             reads 7 ──► still 7? writes 8
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const known = await getState(table, report.cluster);
    const next = afterReport(known, report);
    if (next === undefined) {
      if (known === undefined) throw new TypeError('a first report is always news');
      return known;
    }
    const isWritten =
      known === undefined
        ? await putNewItem(table, 'cluster', next)
        : await putItemIf(table, next, { revision: known.revision });
    if (!isWritten) continue;
    trace({
      kind: 'cluster',
      key: next.cluster,
      revision: next.revision,
      command: report.kind,
      fields: writtenCluster(next),
    });
    return next;
  }
  throw new TransientError('StoreUnavailable', `the state of cluster ${report.cluster} changed each time it was read`);
}
