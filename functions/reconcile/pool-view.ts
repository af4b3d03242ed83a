import type { AgentSize } from '../../core/agent/agent-size.ts';
import { poolKeyOf } from '../../core/agent/pool.ts';
import type { Join } from '../../core/ci/join.ts';
import type { Profile } from '../../core/config/config.ts';
import type { JobRecord } from '../../core/job/job-record.ts';
import type { LaunchRecord } from '../../core/launch/launch-record.ts';

/** How long a CI system's list may lack a runner after its registration began, in milliseconds. */
const registeringMs = 60_000;

/** A queued job, the first profile that takes it, its size, and how such an agent joins the CI system. */
export interface Demand {
  job: JobRecord;
  profile: Profile;
  size?: AgentSize | undefined;
  join: Join;
}

/** A pool as one reconcile sees it. */
export interface PoolView {
  key: string;
  /** The queued jobs, oldest first. */
  demands: Demand[];
  /** The launches whose agent runs nothing and may still get a job. */
  idle: LaunchRecord[];
  running: LaunchRecord[];
}

/** Says whether a live launch counts as an agent for a queued job: it is not retiring, and runs nothing yet. */
export function isSupply({ runs, retiring }: Pick<LaunchRecord, 'runs' | 'retiring'>): boolean {
  return runs === undefined && retiring === undefined;
}

/** How long a summoned agent may take to ask: connect holds its request for 20 s, and a service may not answer for a while. */
const unheardMs = 120_000;

/** Says whether an agent was summoned, and has not asked since: it counts for no queued job. */
export function isUnheard({ standby, registration }: LaunchRecord, nowEpochMs: number): boolean {
  const summons = standby?.summons;
  return summons !== undefined && registration === undefined && nowEpochMs - summons.atEpochMs >= unheardMs;
}

/** Says since when a connected agent is idle in its CI system: since its registration, or since it came. */
export function idleSinceEpochMs({ connectedAtEpochMs = 0, registration }: LaunchRecord): number {
  return Math.max(connectedAtEpochMs, registration?.begunAtEpochMs ?? 0);
}

/**
 * Says whether an agent may get no job any more: a connected one that runs nothing, and that registered long enough ago
 * for a list to have its runner. A CI system forgets a runner after its one job, also if no event of that job arrived.
 * Such an agent counts for no queued job; the sweep or `idleSeconds` ends its launch.
 *
 * @param listedAtEpochMs when davit began to read the list
 */
export function mayBeSpent(launch: LaunchRecord, listedAtEpochMs: number): boolean {
  const { status, runs, runner } = launch;
  if (status !== 'connected' || runs !== undefined || runner === undefined) return false;
  return listedAtEpochMs - idleSinceEpochMs(launch) >= registeringMs;
}

/**
 * Sorts queued jobs and launches into their pools.
 *
 * @param launches live ones that are not spent
 * @param others how agents join further pools, which may have neither
 */
export function viewPools(
  demands: readonly Demand[],
  launches: readonly LaunchRecord[],
  others: readonly Join[] = [],
): PoolView[] {
  const pools = new Map<string, PoolView>();
  const poolOf = (join: Join): PoolView => {
    const key = poolKeyOf(join);
    const pool = pools.get(key) ?? { key, demands: [], idle: [], running: [] };
    pools.set(key, pool);
    return pool;
  };
  for (const demand of demands.toSorted(byAge)) poolOf(demand.join).demands.push(demand);
  for (const launch of launches) {
    const { plan, runs } = launch;
    if (plan?.join === undefined) continue;
    if (isSupply(launch)) poolOf(plan.join).idle.push(launch);
    else if (runs !== undefined) poolOf(plan.join).running.push(launch);
  }
  for (const join of others) poolOf(join);
  return [...pools.values()];
}

/**
 * Compares two jobs by their age. A job of unknown age counts as the youngest. Between two jobs of the same age, the lower
 * id is the older one.
 */
export function byAge({ job: one }: Demand, { job: other }: Demand): number {
  const { queuedAtEpochMs: oneAt = Number.MAX_SAFE_INTEGER } = one;
  const { queuedAtEpochMs: otherAt = Number.MAX_SAFE_INTEGER } = other;
  return oneAt - otherAt || Number(one.jobId) - Number(other.jobId);
}

/** Counts the queued jobs without an agent; below 0, the agents without a job. */
export function missingIn({ demands, idle }: Pick<PoolView, 'demands' | 'idle'>): number {
  return demands.length - idle.length;
}
