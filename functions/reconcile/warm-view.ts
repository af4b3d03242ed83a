import type { PoolCount } from '../../core/agent/pool.ts';
import { warmPauseOf } from '../../core/agent/warm-pause.ts';
import { isStandingBy, type LaunchRecord } from '../../core/launch/launch-record.ts';
import { type LaunchId, warmLaunchId } from '../../core/launch/names.ts';
import { longestAgentLifetimeSeconds } from '../../core/retention.ts';
import type { PlannedRetirement } from './plan-retirements.ts';
import type { PlannedRepair } from './planned-repair.ts';
import { idleSinceEpochMs, missingIn, type PoolView } from './pool-view.ts';
import type { LatestWarm } from './read-warm.ts';
import type { WarmWish } from './warm-pools.ts';

/** A CI system removes a runner that has been idle for long: GitHub after a day. */
const longestIdleSeconds = 24 * 3600;

/** A pool, and its idle agents as its warm agents should be. */
export interface WarmView extends PoolView {
  wishes: readonly WarmWish[];
  /** How many idle agents there should be beside those for queued jobs. */
  target: number;
  /** The idle agents, without the aged ones. */
  fresh: LaunchRecord[];
  /** Those that have been idle for so long that another one should take their place, oldest first. */
  aged: LaunchRecord[];
}

/** Sorts the idle agents of a pool. A pool without warm agents has no aged ones: they end by `idleSeconds`. */
export function viewWarm(pool: PoolView, wishes: readonly WarmWish[], nowEpochMs: number): WarmView {
  const target = wishes.reduce((sum, wish) => sum + wish.target, 0);
  const isAged = (launch: LaunchRecord) => target > 0 && idleShare(launch, nowEpochMs) >= 1 / 2;
  return {
    ...pool,
    wishes,
    target,
    fresh: pool.idle.filter((launch) => !isAged(launch)),
    aged: pool.idle.filter(isAged).toSorted((one, other) => connectedAt(one) - connectedAt(other)),
  };
}

/**
 * Says what part of the time is over for which an agent may be idle before it can run no whole job: of its lifetime, and of the
 * time for which a CI system keeps a runner. One that stands by has no runner.
 */
function idleShare(launch: LaunchRecord, nowEpochMs: number): number {
  if (launch.status !== 'connected') return 0;
  const lifetimeSeconds = launch.plan?.maxAgentLifetimeSeconds ?? longestAgentLifetimeSeconds;
  const ofLifetime = (nowEpochMs - connectedAt(launch)) / (lifetimeSeconds * 1000);
  if (isStandingBy(launch)) return ofLifetime;
  return Math.max(ofLifetime, (nowEpochMs - idleSinceEpochMs(launch)) / (longestIdleSeconds * 1000));
}

/** An agent that has not connected yet counts as younger than all others. */
function connectedAt({ status, connectedAtEpochMs }: LaunchRecord): number {
  return status === 'connected' ? (connectedAtEpochMs ?? Infinity) : Infinity;
}

/** Counts what a pool lacks. An aged agent still runs jobs, but counts as no warm one. */
export function countOf({ target, fresh, ...pool }: WarmView): PoolCount {
  return { missing: missingIn(pool), missingWithWarm: pool.demands.length + target - fresh.length };
}

/** Names the idle agents that `idleSeconds` does not end: the aged ones, and of the others the youngest, up to the target. */
export function keptWarm({ target, fresh, aged }: WarmView): LaunchId[] {
  const youngest = fresh
    .filter(({ status }) => status === 'connected')
    .toSorted((one, other) => connectedAt(other) - connectedAt(one))
    .slice(0, target);
  return [...youngest, ...aged].map(({ launchId }) => launchId);
}

/**
 * Chooses the aged agents to retire: those in whose place others have connected. If there is no room for others, one goes
 * first after three quarters of the time, and the next when another one has connected.
 */
export function planAged({ target, demands, fresh, aged }: WarmView, nowEpochMs: number): PlannedRetirement[] {
  const connected = fresh.filter(({ status }) => status === 'connected').length;
  const replaced = connected + aged.length - target - demands.length;
  const isUrgent = aged.some((launch) => idleShare(launch, nowEpochMs) >= 3 / 4);
  const reason = 'its agent has run nothing for so long that another one takes its place';
  return aged
    .slice(0, Math.max(0, isUrgent && replaced === 0 ? 1 : replaced))
    .map((launch) => ({ launch, kind: 'idle', reason }));
}

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
