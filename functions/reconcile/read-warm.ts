import { type PoolLook, poolKeyOf } from '../../core/agent/pool.ts';
import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import { type LatestWarm, latestWarm } from './launch-warm.ts';
import type { RoundDeps } from './waiting-list.ts';
import { fullLimitsOf, type SlotsWanted, type WarmPool, warmPoolsOf } from './warm-pools.ts';

/** The pools of a CI system with warm agents, and what davit's tables say of them. */
export interface WarmSight {
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
