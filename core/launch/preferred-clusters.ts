import { createHash } from 'node:crypto';
import type { Profile } from '../config/config.ts';
import type { LaunchId } from './names.ts';

/** The part of a profile that says where its launches go. */
export type ClusterChoice = Pick<Profile, 'clusters' | 'strategy' | 'clusterWeights'>;

/**
 * Orders a profile's clusters as one launch prefers them. `ordered`: as they are written. `spread`: each launch has an
 * order of its own, always the same one, in which a cluster comes first as often as its weight says.
 *
 * Each cluster draws an exponentially distributed number by a hash, at the rate of its weight, and the smallest is
 * first (weighted rendezvous hashing). So if a cluster is added or removed, the order of the others stays the same for
 * every launch.
 *
 * @see https://www.snia.org/sites/default/files/SDC15_presentations/dist_sys/Jason_Resch_New_Consistent_Hashings_Rev.pdf
 */
export function preferredClusters(
  { clusters, strategy, clusterWeights = {} }: ClusterChoice,
  launchId: LaunchId,
): readonly string[] {
  if (strategy === 'ordered') return clusters;
  const draws = new Map(
    clusters.map((cluster) => [cluster, -Math.log(fractionOf(launchId, cluster)) / (clusterWeights[cluster] ?? 1)]),
  );
  return clusters.toSorted((one, other) => (draws.get(one) ?? 0) - (draws.get(other) ?? 0));
}

/** @returns a number between 0 and 1, neither of them included */
function fractionOf(launchId: LaunchId, cluster: string): number {
  const hash = createHash('sha256').update(`${launchId} ${cluster}`).digest().readUInt32BE(0);
  return (hash + 0.5) / 2 ** 32;
}
