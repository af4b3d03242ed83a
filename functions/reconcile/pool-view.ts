import type { Profile } from '../domain/config.ts';
import type { JobRecord } from '../domain/job-record.ts';
import type { Join } from '../domain/join.ts';
import type { LaunchRecord } from '../domain/launch-record.ts';
import { poolKeyOf } from '../domain/pool.ts';

/** A queued job, the first profile that takes it, and how an agent of that profile joins the CI system for it. */
export interface Demand {
  job: JobRecord;
  profile: Profile;
  join: Join;
}

/** A pool as one reconcile sees it. */
export interface PoolView {
  key: string;
  /** Of the queued jobs, oldest first. */
  demands: Demand[];
  /** The launches whose agent runs nothing and may still get a job. */
  idle: LaunchRecord[];
}

/**
 * Says whether a live launch counts as an agent for a queued job: it is wanted, and runs nothing yet.
 */
export function isSupply({ runs, retiring }: Pick<LaunchRecord, 'runs' | 'retiring'>): boolean {
  return runs === undefined && retiring === undefined;
}

/**
 * Sorts queued jobs and launches into their pools.
 *
 * @param launches live ones
 */
export function viewPools(demands: readonly Demand[], launches: readonly LaunchRecord[]): PoolView[] {
  const pools = new Map<string, PoolView>();
  const poolOf = (join: Join): PoolView => {
    const key = poolKeyOf(join);
    const pool = pools.get(key) ?? { key, demands: [], idle: [] };
    pools.set(key, pool);
    return pool;
  };
  for (const demand of demands.toSorted(byAge)) poolOf(demand.join).demands.push(demand);
  for (const launch of launches) {
    if (launch.plan?.join !== undefined && isSupply(launch)) poolOf(launch.plan.join).idle.push(launch);
  }
  return [...pools.values()];
}

/** A job whose age is not known counts as the youngest. Of one age, the lower id is the older job. */
function byAge({ job: one }: Demand, { job: other }: Demand): number {
  const { queuedAtEpochMs: oneAt = Number.MAX_SAFE_INTEGER } = one;
  const { queuedAtEpochMs: otherAt = Number.MAX_SAFE_INTEGER } = other;
  return oneAt - otherAt || Number(one.jobId) - Number(other.jobId);
}

/** Counts the queued jobs for which there is no agent; below 0, the agents for which there is no job. */
export function missingIn({ demands, idle }: PoolView): number {
  return demands.length - idle.length;
}
