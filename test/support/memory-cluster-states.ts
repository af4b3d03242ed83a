import { afterReport, type ClusterReport, type ClusterState } from '../../functions/domain/cluster-state.ts';
import type { ClusterStates } from '../../functions/ports/cluster-states.ts';

/** The clusters table in memory, with exactly the port's rules. It copies records on writes and reads. */
export class MemoryClusterStates implements ClusterStates {
  readonly #states = new Map<string, ClusterState>();

  async get(cluster: string): Promise<ClusterState | undefined> {
    return structuredClone(this.#states.get(cluster));
  }

  async list(): Promise<ClusterState[]> {
    return structuredClone([...this.#states.values()]);
  }

  async report(report: ClusterReport): Promise<ClusterState> {
    const known = this.#states.get(report.cluster);
    const state = afterReport(known, report) ?? known;
    if (state === undefined) throw new TypeError('a first report is always news');
    this.#states.set(report.cluster, structuredClone(state));
    return structuredClone(state);
  }
}
