import { type ClusterReport, type ClusterState, namespaceStateOf } from '../../core/cluster/cluster-state.ts';
import { writtenCluster } from '../../core/trace/written-of.ts';
import { clusterStatesIn } from '../../logic/records/cluster-states-in.ts';
import type { ClusterStates } from '../../ports/cluster-states.ts';
import type { RecordWrite } from '../../ports/record-store.ts';
import type { Core } from './core.ts';
import type { Invocation } from './invocation.ts';
import { RecordsTable, simulatedRecords } from './records-table.ts';

/** The clusters table: each method is one request to DynamoDB, and has its effect at one moment. */
export class ClustersTable extends RecordsTable<ClusterState> {
  readonly #core: Core;
  readonly #onTrouble: () => void;

  /** @param onTrouble called when calls to a cluster are recorded to fail */
  constructor(core: Core, onTrouble: () => void) {
    super();
    this.#core = core;
    this.#onTrouble = onTrouble;
  }

  /** Whether calls to a cluster, or creates in a namespace there, are recorded to fail. */
  get isOneInTrouble(): boolean {
    return this.all.some(isInTrouble);
  }

  protected override tell({ key, before, after, command }: RecordWrite<ClusterState>, revision: number): void {
    const { history } = this.#core;
    history.trace(() => ({ kind: 'cluster', key, revision, command, fields: writtenCluster(after) }));
    const known = before?.record;
    const { cluster, connected, sinceEpochMs } = after;
    if (known?.connected !== connected) history.add({ kind: 'clusterState', cluster, connected, sinceEpochMs });
    for (const { namespace, ...now } of after.namespaces ?? []) {
      if (namespaceStateOf(known, namespace)?.connected === now.connected) continue;
      const changed = { connected: now.connected, sinceEpochMs: now.sinceEpochMs };
      history.add({ kind: 'clusterState', cluster, namespace, ...changed });
    }
    if (isInTrouble(after)) this.#onTrouble();
  }
}

function isInTrouble({ failures, namespaces = [] }: ClusterState): boolean {
  return failures !== undefined || namespaces.some((namespace) => namespace.failures !== undefined);
}

/** The clusters' states as one run of a function reaches them. */
export function simulatedClusterStates(table: ClustersTable, invocation: Invocation): ClusterStates {
  const states = clusterStatesIn(simulatedRecords(table, invocation), () => invocation.reads('store', () => table.all));
  return {
    ...states,
    report: (report) => {
      noteFailedLooks(invocation, report);
      return states.report(report);
    },
  };
}

function noteFailedLooks({ core, functionName, lastFailedAtEpochMs }: Invocation, report: ClusterReport): void {
  if (functionName !== 'probe' || lastFailedAtEpochMs === undefined) return;
  const { cluster } = report;
  const outcomes = report.kind === 'works' ? (report.namespaces ?? []) : [report];
  for (const outcome of outcomes) {
    if (outcome.kind !== 'failed') continue;
    const { beganAtEpochMs } = outcome;
    core.history.add({ kind: 'failedLook', cluster, beganAtEpochMs, failedAtEpochMs: lastFailedAtEpochMs });
  }
}
