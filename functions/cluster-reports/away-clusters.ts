import { connectedAt } from '../domain/cluster-state.ts';
import { DavitError } from '../domain/errors.ts';
import type { ClusterStates } from '../ports/cluster-states.ts';

/** The dependencies of finding the clusters that are away. */
export interface AwayClustersDeps {
  clusterStates: Pick<ClusterStates, 'get'>;
  nowEpochMs: () => number;
}

/**
 * Finds the clusters that are known to be away. A cluster of unknown state, or whose state davit cannot read now, does
 * not count as away: the first call to it shows its state.
 */
export async function awayClusters(deps: AwayClustersDeps, clusters: readonly string[]): Promise<ReadonlySet<string>> {
  const isAway = await Promise.all(clusters.map((cluster) => isKnownAway(deps, cluster)));
  return new Set(clusters.filter((_, index) => isAway[index]));
}

async function isKnownAway({ clusterStates, nowEpochMs }: AwayClustersDeps, cluster: string): Promise<boolean> {
  try {
    return connectedAt(await clusterStates.get(cluster), nowEpochMs()) === false;
  } catch (error) {
    if (!(error instanceof DavitError)) throw error;
    return false;
  }
}
