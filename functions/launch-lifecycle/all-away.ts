import type { AwayClustersDeps } from '../cluster-reports/away-clusters.ts';
import { connectedAt } from '../domain/cluster-state.ts';
import type { Profile } from '../domain/config.ts';
import { isoTime } from '../domain/epoch-ms.ts';

/**
 * Says why no launch of a profile can work: every one of its clusters is disconnected.
 *
 * @returns undefined while one is connected or unknown
 * @throws TransientError StoreUnavailable
 */
export async function whyAllAway(
  { clusterStates, nowEpochMs }: AwayClustersDeps,
  { clusters }: Pick<Profile, 'clusters'>,
): Promise<string | undefined> {
  const states = await Promise.all(clusters.map((cluster) => clusterStates.get(cluster)));
  const away = states.flatMap((state) =>
    state !== undefined && connectedAt(state, nowEpochMs()) === false
      ? [`cluster ${state.cluster} is away: ${state.reason ?? 'Unreachable'} since ${isoTime(state.sinceEpochMs)}`]
      : [],
  );
  return away.length < clusters.length ? undefined : away.join('; ');
}
