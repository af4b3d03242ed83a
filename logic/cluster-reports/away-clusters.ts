import { type Away, awayAt } from '../../core/cluster/cluster-state.ts';
import { DavitError } from '../../core/errors/errors.ts';
import type { ClusterStates } from '../../ports/cluster-states.ts';

/** The dependencies of finding the clusters that are away. */
export interface AwayClustersDeps {
  clusterStates: Pick<ClusterStates, 'get'>;
  nowEpochMs: () => number;
}

/**
 * Says what is known to keep launches from a namespace of a cluster now.
 *
 * @returns undefined while they may work
 * @throws TransientError StoreUnavailable
 */
export async function findAway(
  { clusterStates, nowEpochMs }: AwayClustersDeps,
  cluster: string,
  namespace: string,
): Promise<Away | undefined> {
  return awayAt(await clusterStates.get(cluster), namespace, nowEpochMs());
}

/**
 * Finds the clusters that are known to be away for launches in a namespace. A cluster of unknown state, or whose state
 * davit cannot read now, does not count as away: the first call to it shows its state.
 */
export async function awayClusters(
  deps: AwayClustersDeps,
  clusters: readonly string[],
  namespace: string,
): Promise<ReadonlySet<string>> {
  const isAway = await Promise.all(clusters.map((cluster) => isKnownAway(deps, cluster, namespace)));
  return new Set(clusters.filter((_, index) => isAway[index]));
}

async function isKnownAway(deps: AwayClustersDeps, cluster: string, namespace: string): Promise<boolean> {
  try {
    return (await findAway(deps, cluster, namespace)) !== undefined;
  } catch (error) {
    if (!(error instanceof DavitError)) throw error;
    return false;
  }
}
