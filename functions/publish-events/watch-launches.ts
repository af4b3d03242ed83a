import { watchedMs } from '../../core/cluster/cluster-state.ts';
import type { InvokeLater } from '../../ports/invoke-later.ts';

interface WatchLaunchesDeps {
  invokeLater: InvokeLater<'probe'>;
  nowEpochMs: () => number;
}

/** davit asks for the next watch 15 s before the last one ends, because another function may be late. */
const againMs = watchedMs - 15_000;

/**
 * Makes the function that requests a watch of a cluster on which a launch begins. It asks at most once in 10 s: the
 * probe that it asked for before still looks, and sees the new launch.
 */
export function watchLaunches({ invokeLater, nowEpochMs }: WatchLaunchesDeps): (cluster: string) => Promise<void> {
  const askedAtEpochMs = new Map<string, number>();
  return async (cluster) => {
    const now = nowEpochMs();
    if (now - (askedAtEpochMs.get(cluster) ?? -Infinity) < againMs) return;
    await invokeLater('probe', { cluster, isLaunching: true });
    askedAtEpochMs.set(cluster, now);
  };
}
