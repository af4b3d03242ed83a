import { warmPauseOf } from '../../core/agent/warm-pause.ts';
import { warmLaunchId } from '../../core/launch/names.ts';
import type { PlannedRepair } from './planned-repair.ts';
import type { LatestWarm } from './read-warm.ts';
import type { WarmWish } from './warm-pools.ts';
import type { WarmView } from './warm-view.ts';

/** Reconciling runs each minute: the first round after a failure tells people of the pause. */
const roundMs = 60_000;

/**
 * Plans the warm agents that a pool lacks, unless jobs wait for their slots, or the latest ones have ended without a job.
 *
 * @param count how many are missing
 */
export function planWarm(
  ciSystem: string,
  pool: WarmView,
  { next, records }: LatestWarm,
  count: number,
  nowEpochMs: number,
): PlannedRepair[] {
  const pause = warmPauseOf(records, nowEpochMs);
  if (pause !== undefined && (nowEpochMs < pause.untilEpochMs || pause.isTried)) {
    return nowEpochMs - pause.failedAtEpochMs < roundMs ? [{ kind: 'pause', pause }] : [];
  }
  return lacking(pool)
    .slice(0, pause === undefined ? count : Math.min(count, 1))
    .map((wish, index): PlannedRepair => {
      const launchId = warmLaunchId(ciSystem, pool.key, next + index);
      return { kind: 'warm', pool: pool.key, wish, launchId };
    });
}

/** Lists a wish for each warm agent that a profile lacks, and then for those that queued jobs are about to take. */
function lacking({ wishes, fresh }: WarmView): WarmWish[] {
  const able = wishes.filter(({ isYielding }) => !isYielding);
  const own = able.flatMap((wish) => {
    const idle = fresh.filter(({ plan }) => plan?.profile === wish.profile.name).length;
    return Array.from({ length: Math.max(0, wish.target - idle) }, () => wish);
  });
  return [...own, ...able.flatMap((wish) => Array.from({ length: wish.target }, () => wish))];
}
