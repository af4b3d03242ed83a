import { agreedCount, agreedRepairs, type PoolCount, type PoolLook } from '../../core/agent/pool.ts';
import { jobKeyOf } from '../../core/job/job-id.ts';
import type { JobRecord } from '../../core/job/job-record.ts';
import type { LaunchId } from '../../core/launch/names.ts';
import { planLaunches } from './plan-launches.ts';
import { planSurplus } from './plan-retirements.ts';
import type { PlannedRepair } from './planned-repair.ts';
import type { RoundView } from './round-view.ts';
import { countOf, planWarm, type WarmView } from './warm-view.ts';

/** How old the last look at a pool may be, in milliseconds: two missed rounds. One of the future is as old. */
const lookMaxAgeMs = 180_000;

/** How old it must be: a schedule's event may come twice, and two looks at the same list count as one. */
const lookMinAgeMs = 20_000;

/** How far a CI system's list of jobs may lag behind the event that a launch was requested for, in milliseconds. */
const listLagMs = 30_000;

/** The repairs of a pool, and the look at it for the next round, as if none of them was made. */
interface PoolPlan {
  repairs: PlannedRepair[];
  look: PoolLook;
}

/** What a round knows of a pool beside its jobs and agents. */
interface PoolState {
  /** The launches that this round retires anyway. */
  overdue: ReadonlySet<LaunchId>;
  /** Its jobs that wait for slots, and whose repository the CI system hides, oldest first. */
  hidden: readonly JobRecord[];
  /** The jobs that may be queued in it: davit does not know. */
  unknown: readonly JobRecord[];
}

/**
 * Plans the launches and retirements of a pool, and which of its jobs wait for a slot no longer, as far as two looks agree.
 * A job of which the round knows nothing counts as queued in the look, and gets no agent in this round.
 */
export function planPool(view: RoundView, pool: WarmView, state: PoolState): PoolPlan {
  const { nowEpochMs: now, system } = view;
  const latest = view.warm.latest.get(pool.key);
  const before = view.looks.get(pool.key);
  const { sure, count } = countsOf(pool, state.unknown);
  const look = before !== undefined && Math.abs(now - before.atEpochMs) <= lookMaxAgeMs ? before : undefined;
  const missed = new Set(look?.unlisted);
  const gone = state.hidden.filter((job) => missed.has(jobKeyOf(job)));
  const numbered = latest === undefined ? {} : { nextWarm: latest.next };
  if (look !== undefined && now - look.atEpochMs < lookMinAgeMs) {
    // The earlier look keeps its time, so that a later round can agree with it, however often rounds come.
    return { repairs: [], look: { ...look, ...agreedCount(look, count), ...numbered, unlisted: gone.map(jobKeyOf) } };
  }
  const agreed = agreedRepairs(look, count);
  const launch = Math.min(agreed.launch, Math.max(0, sure.missing));
  const warm = Math.min(agreed.warm, Math.max(0, sure.missingWithWarm - launch));
  const reason = 'its CI system showed no such repository in two looks: it was deleted, or is hidden';
  return {
    repairs: [
      ...gone.map((job): PlannedRepair => ({ kind: 'forget', job, reason })),
      ...planLaunches(pool.key, pool.demands, launch, view.launches, now),
      ...(latest === undefined ? [] : planWarm(system.name, pool, latest, warm, now)),
      ...planSurplus(...surplusOf(view, pool, state, agreed.retire), pool.demands.length).map(
        (retirement): PlannedRepair => ({ kind: 'retire', pool: pool.key, retirement }),
      ),
    ],
    look: {
      ...count,
      ...numbered,
      ...(state.hidden.length === 0 ? {} : { unlisted: state.hidden.map(jobKeyOf) }),
      atEpochMs: now,
    },
  };
}

/**
 * Counts what a pool lacks: for sure, and if all unknown jobs are queued. An unknown job and the agent that was launched for
 * it need nothing of each other.
 */
function countsOf(pool: WarmView, unknown: readonly JobRecord[]): { sure: PoolCount; count: PoolCount } {
  const { missing, missingWithWarm } = countOf(pool);
  const keys = new Set(unknown.map(jobKeyOf));
  const pairs = pool.idle.filter(({ plan }) => plan?.jobKey !== undefined && keys.has(plan.jobKey)).length;
  return {
    sure: { missing: missing + pairs, missingWithWarm: missingWithWarm + pairs },
    count: { missing: missing + unknown.length, missingWithWarm: missingWithWarm + unknown.length },
  };
}

/** Finds the agents that may be surplus, and how many of them are. */
function surplusOf(
  view: RoundView,
  pool: WarmView,
  { overdue, unknown }: PoolState,
  agreed: number,
): [WarmView['fresh'], number] {
  const jobs = [...pool.demands.map(({ job }) => job), ...unknown];
  // Two looks may each lack the job of another new launch, so such a launch is no surplus yet.
  const listed = new Set(jobs.map(({ lastLaunch }) => lastLaunch?.launchId));
  const known = pool.fresh.filter(
    ({ launchId, requestedAtEpochMs }) =>
      listed.has(launchId) || requestedAtEpochMs <= view.listedAtEpochMs - listLagMs,
  );
  const spare = known.filter(({ launchId }) => !overdue.has(launchId));
  // An agent that an unknown job may wait for is not retired.
  const unneeded = known.length - jobs.length - pool.target;
  // An overdue agent is part of the surplus.
  const surplus = Math.min(agreed, unneeded) - (known.length - spare.length);
  return [spare, Math.max(0, surplus)];
}

/**
 * Adds to a look what a round has done, because the next round may read an index that lacks it.
 *
 * @param done the repairs that were made
 */
export function lookAfter(key: string, look: PoolLook, done: ReadonlySet<PlannedRepair>): PoolLook {
  const count = (kind: PlannedRepair['kind']) =>
    [...done].filter((repair) => repair.kind === kind && 'pool' in repair && repair.pool === key).length;
  const warmed = count('warm');
  const change = count('retire') - count('launch') - warmed;
  if (change === 0 && warmed === 0) return look;
  return {
    ...look,
    missing: look.missing + change,
    missingWithWarm: (look.missingWithWarm ?? look.missing) + change,
    ...(look.nextWarm === undefined ? {} : { nextWarm: look.nextWarm + warmed }),
  };
}
