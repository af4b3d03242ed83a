import {
  afterReport,
  type ClusterReport,
  type ClusterState,
  namespaceStateOf,
} from '../../core/cluster/cluster-state.ts';
import { TransientError } from '../../core/errors/errors.ts';
import { writtenCluster } from '../../core/trace/written-of.ts';
import type { ClusterStates } from '../../ports/cluster-states.ts';
import type { Core } from './core.ts';
import type { Invocation } from './invocation.ts';

/** The clusters table: each method is one request to DynamoDB. */
export class ClustersTable {
  readonly #core: Core;
  readonly #onTrouble: () => void;
  readonly #states = new Map<string, ClusterState>();

  /** @param onTrouble called when calls to a cluster are recorded to fail */
  constructor(core: Core, onTrouble: () => void) {
    this.#core = core;
    this.#onTrouble = onTrouble;
  }

  /** Whether calls to a cluster, or creates in a namespace there, are recorded to fail. */
  get isOneInTrouble(): boolean {
    return [...this.#states.values()].some(isInTrouble);
  }

  get(cluster: string): ClusterState | undefined {
    return this.#states.get(cluster);
  }

  list(): ClusterState[] {
    return [...this.#states.values()];
  }

  /** @returns whether the record was the one that this state follows */
  put(state: ClusterState, command: ClusterReport['kind']): boolean {
    const known = this.#states.get(state.cluster);
    if ((known?.revision ?? 0) !== state.revision - 1) return false;
    this.#states.set(state.cluster, state);
    const { revision } = state;
    this.#core.history.trace(() => {
      const fields = writtenCluster(state);
      return { kind: 'cluster', key: state.cluster, revision, command, fields };
    });
    const { cluster, connected, sinceEpochMs } = state;
    if (known?.connected !== connected) {
      this.#core.history.add({ kind: 'clusterState', cluster, connected, sinceEpochMs });
    }
    for (const { namespace, ...now } of state.namespaces ?? []) {
      if (namespaceStateOf(known, namespace)?.connected === now.connected) continue;
      const changed = { connected: now.connected, sinceEpochMs: now.sinceEpochMs };
      this.#core.history.add({ kind: 'clusterState', cluster, namespace, ...changed });
    }
    if (isInTrouble(state)) this.#onTrouble();
    return true;
  }
}

function isInTrouble({ failures, namespaces = [] }: ClusterState): boolean {
  return failures !== undefined || namespaces.some((namespace) => namespace.failures !== undefined);
}

const mostAttempts = 8;

/** The clusters table as one run of a function reaches it. */
export class SimulatedClusterStates implements ClusterStates {
  readonly #table: ClustersTable;
  readonly #invocation: Invocation;

  constructor(table: ClustersTable, invocation: Invocation) {
    this.#table = table;
    this.#invocation = invocation;
  }

  get(cluster: string): Promise<ClusterState | undefined> {
    return this.#invocation.reads('store', () => this.#table.get(cluster));
  }

  async list(): Promise<ClusterState[]> {
    return this.#invocation.reads('store', () => this.#table.list());
  }

  async report(report: ClusterReport): Promise<ClusterState> {
    this.#noteFailedLooks(report);
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      const known = await this.get(report.cluster);
      const next = afterReport(known, report);
      const state = next ?? known;
      if (state === undefined) throw new TypeError('a first report is always news');
      if (next === undefined || (await this.#invocation.writes('store', () => this.#table.put(next, report.kind))))
        return state;
    }
    throw new TransientError(
      'StoreUnavailable',
      `the state of cluster ${report.cluster} changed each time it was read`,
    );
  }

  #noteFailedLooks(report: ClusterReport): void {
    const { core, functionName, lastFailedAtEpochMs: failedAtEpochMs } = this.#invocation;
    if (functionName !== 'probe' || failedAtEpochMs === undefined) return;
    const { cluster } = report;
    const outcomes = report.kind === 'works' ? (report.namespaces ?? []) : [report];
    for (const outcome of outcomes) {
      if (outcome.kind !== 'failed') continue;
      const { beganAtEpochMs } = outcome;
      core.history.add({ kind: 'failedLook', cluster, beganAtEpochMs, failedAtEpochMs });
    }
  }
}
