import { watchedMs } from '../domain/cluster-state.ts';
import type { Probes } from '../ports/probes.ts';

/** The dependencies of watching the clusters of launches. */
export interface WatchLaunchesDeps {
  probes: Pick<Probes, 'requestWatch'>;
  nowEpochMs: () => number;
}

/** A watch is asked for again before the last one ends, by a time in which another function may be late. */
const againMs = watchedMs - 15_000;

/**
 * Makes the function that has a cluster watched on which a launch begins. It asks only once in 10 s: the probe that
 * it has asked for still looks, and goes on as it sees the new launch.
 */
export function watchLaunches({ probes, nowEpochMs }: WatchLaunchesDeps): (cluster: string) => Promise<void> {
  const askedAtEpochMs = new Map<string, number>();
  return async (cluster) => {
    const now = nowEpochMs();
    if (now - (askedAtEpochMs.get(cluster) ?? -Infinity) < againMs) return;
    await probes.requestWatch(cluster);
    askedAtEpochMs.set(cluster, now);
  };
}
