import { type PoolLook, poolKeyOf } from '../../core/agent/pool.ts';
import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import { warmLaunchId } from '../../core/launch/names.ts';
import type { ReconcileDeps, RoundDeps } from './reconcile-deps.ts';
import { fullLimitsOf, type SlotsWanted, type WarmPool, warmPoolsOf } from './warm-pools.ts';

/** How many warm launches to read at a time, and how many of earlier rounds. */
const batchLaunches = 10;

/** The latest warm launches of a pool, by their own ids. */
export interface LatestWarm {
  /** The number of the next one. */
  next: number;
  /** Those that were requested since the last round, oldest first, and the latest ten before them. */
  records: LaunchRecord[];
}

/**
 * Finds the warm launches of a pool since the last round, by their numbers and not by the index, which may lack them. So
 * two rounds that both lack an agent request the same launch.
 *
 *     A   next 8 ──► request 8 ──► request 9 ──► keeps: next 10
 *     B   next 8 ───────────────────────────────────────────────► reads 8, 9 ──► next 10
 *     C   next 8 ──► request 8: there already
 *
 * @param nextWarm as the last round kept it. @default a number of its own for each day: the first look launches nothing
 */
async function latestWarm(
  { launches, nowEpochMs }: Pick<ReconcileDeps, 'launches' | 'nowEpochMs'>,
  { name }: Pick<CiSystemConfig, 'name'>,
  poolKey: string,
  nextWarm = firstNumberOf(nowEpochMs()),
): Promise<LatestWarm> {
  const found: LaunchRecord[] = [];
  let next = nextWarm;
  for (let from = nextWarm - batchLaunches, isMore = true; isMore; from += batchLaunches) {
    const numbers = Array.from({ length: batchLaunches }, (_, index) => from + index);
    const ids = numbers.map((number) => warmLaunchId(name, poolKey, number));
    const { records, unreadable } = await launches.getMany(ids);
    const isUnreadable = new Set(unreadable.map(({ launchId }) => launchId));
    const taken = numbers.filter((_, index) => records.has(ids[index] ?? '') || isUnreadable.has(ids[index] ?? ''));
    next = Math.max(next, (taken.at(-1) ?? 0) + 1);
    isMore = next >= from + batchLaunches;
    found.push(...ids.flatMap((id) => records.get(id) ?? []));
  }
  return { next, records: found };
}

/** A pool has far fewer than 1,000 warm launches a day: a job's own launch takes the place of the agent that runs it. */
function firstNumberOf(nowEpochMs: number): number {
  return Math.floor(nowEpochMs / 86_400_000) * 1000;
}

/** The pools of a CI system with warm agents, and what davit's tables say of them. */
interface WarmSight {
  pools: WarmPool[];
  /** By the pool's key. */
  latest: ReadonlyMap<string, LatestWarm>;
  wanted: SlotsWanted;
}

/**
 * Reads what decides about warm agents; reads nothing for a CI system without any.
 *
 * @param live the live launches of this CI system, as the index has them
 * @throws TransientError StoreUnavailable
 */
export async function readWarm(
  deps: RoundDeps,
  system: CiSystemConfig,
  looks: ReadonlyMap<string, PoolLook>,
  live: readonly LaunchRecord[],
): Promise<WarmSight> {
  const pools = warmPoolsOf(deps, system);
  const latest = new Map<string, LatestWarm>();
  for (const key of new Set(pools.map(({ join }) => poolKeyOf(join)))) {
    latest.set(key, await latestWarm(deps, system, key, looks.get(key)?.nextWarm));
  }
  const waiting = pools.length > 0 ? await deps.waiting.atFirst() : [];
  const full = waiting.length === 0 ? new Set<string>() : await fullLimitsOf(deps, pools, waiting, live);
  return { pools, latest, wanted: { waiting, full } };
}
