import type { Profile } from '../../core/config/config.ts';
import { isoTime } from '../../core/epoch-ms.ts';
import { type AwayClustersDeps, findAway } from '../cluster-reports/away-clusters.ts';

/**
 * Says why no launch of a profile can work: every one of its clusters, or its namespace there, is disconnected.
 *
 * @returns undefined while one is connected or unknown
 * @throws TransientError StoreUnavailable
 */
export async function whyAllAway(
  deps: AwayClustersDeps,
  { clusters, namespace }: Pick<Profile, 'clusters' | 'namespace'>,
): Promise<string | undefined> {
  const found = await Promise.all(clusters.map((cluster) => findAway(deps, cluster, namespace)));
  const away = found.flatMap((each) =>
    each === undefined
      ? []
      : [
          `${each.what} is away: ${each.connection.reason ?? 'Unreachable'} since ${isoTime(each.connection.sinceEpochMs)}`,
        ],
  );
  return away.length < clusters.length ? undefined : away.join('; ');
}
