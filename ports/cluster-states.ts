import type { ClusterReport, ClusterState } from '../core/cluster/cluster-state.ts';

/**
 * The clusters table: one record for each cluster. Every write is conditional and repeatable. Any method may throw
 * TransientError StoreUnavailable.
 */
export interface ClusterStates {
  /** Reads the record, strongly consistent. @returns undefined for a cluster without a report */
  get(cluster: string): Promise<ClusterState | undefined>;
  /** Reads every record, strongly consistent, in no order. */
  list(): Promise<ClusterState[]>;
  /** Adds a report, as `afterReport` says. @returns the record in effect */
  report(report: ClusterReport): Promise<ClusterState>;
}
