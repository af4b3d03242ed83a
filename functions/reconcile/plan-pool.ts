import { agreedCount, agreedRepairs, type PoolLook, poolKeyOf } from '../../core/agent/pool.ts';
import { joinOf } from '../../core/ci/join-of.ts';
import { jobKeyOf } from '../../core/job/job-id.ts';
import type { JobRecord } from '../../core/job/job-record.ts';
import { matchSeenJob } from '../../core/job/match-profile.ts';
import type { LaunchId } from '../../core/launch/names.ts';
import { planLaunches } from './plan-launches.ts';
import { planSurplus } from './plan-retirements.ts';
import { planWarm } from './plan-warm.ts';
import type { PlannedRepair } from './planned-repair.ts';
import type { RoundView } from './round-view.ts';
import { countOf, type WarmView } from './warm-view.ts';

/** How old the last look at a pool may be, in milliseconds: two missed rounds. */
const lookMaxAgeMs = 180_000;

/** How old it must be: a schedule's event may come twice, and two looks at the same list count as one. */
const lookMinAgeMs = 20_000;

/** How far a CI system's list of jobs may lag behind the event that a launch was requested for, in milliseconds. */
const listLagMs = 30_000;

/** The repairs of a pool, and the look at it for the next round, as if none of them was made. */
export interface PoolPlan {
  repairs: PlannedRepair[];
  look: PoolLook;
}

/**
 * Plans the launches and retirements of a pool, and which of its jobs wait for a slot no longer, as far as two looks agree.
 *
 * @param overdue the launches that this round retires anyway
 * @param hidden the pool's jobs that wait for slots, and whose repository the CI system hides, oldest first
 */
export function planPool(
  view: RoundView,
  pool: WarmView,
  overdue: ReadonlySet<LaunchId>,
  hidden: readonly JobRecord[],
): PoolPlan {
  const { nowEpochMs: now, system } = view;
  const latest = view.warm.latest.get(pool.key);
  const before = view.looks.get(pool.key);
  const count = countOf(pool);
  const look = before !== undefined && now - before.atEpochMs <= lookMaxAgeMs ? before : undefined;
  const missed = new Set(look?.unlisted);
  const gone = hidden.filter((job) => missed.has(jobKeyOf(job)));
  const numbered = latest === undefined ? {} : { nextWarm: latest.next };
  if (look !== undefined && now - look.atEpochMs < lookMinAgeMs) {
    // The earlier look keeps its time, so that a later round can agree with it, however often rounds come.
    return {
      repairs: [],
      look: { ...look, ...agreedCount(look, count), ...numbered, unlisted: gone.map(jobKeyOf) },
    };
  }
  const agreed = agreedRepairs(look, count);
  const reason = 'its CI system showed no such repository in two looks: it was deleted, or is hidden';
  return {
    repairs: [
      ...gone.map((job): PlannedRepair => ({ kind: 'forget', job, reason })),
      ...planLaunches(pool.key, pool.demands, agreed.launch, view.launches, now),
      ...(latest === undefined ? [] : planWarm(system.name, pool, latest, agreed.warm, now)),
      ...planSurplus(...surplusOf(view, pool, overdue, agreed.retire)).map(
        (retirement): PlannedRepair => ({ kind: 'retire', pool: pool.key, retirement }),
      ),
    ],
    look: {
      ...count,
      ...numbered,
      ...(hidden.length === 0 ? {} : { unlisted: hidden.map(jobKeyOf) }),
      atEpochMs: now,
    },
  };
}

/** Finds the agents that may be surplus, and how many of them are. */
function surplusOf(
  view: RoundView,
  pool: WarmView,
  overdue: ReadonlySet<LaunchId>,
  agreed: number,
): [WarmView['fresh'], number] {
  const unknown = view.jobs.unknown.filter((job) => poolKeyOfJob(view, job) === pool.key);
  const jobs = [...pool.demands.map(({ job }) => job), ...unknown];
  // Two looks may each lack the job of another new launch, so such a launch is no surplus yet.
  const listed = new Set(jobs.map(({ lastLaunch }) => lastLaunch?.launchId));
  const known = pool.fresh.filter(
    ({ launchId, requestedAtEpochMs }) =>
      listed.has(launchId) || requestedAtEpochMs <= view.listedAtEpochMs - listLagMs,
  );
  const spare = known.filter(({ launchId }) => !overdue.has(launchId));
  // An agent that an unknown job may wait for is not retired, and none is launched for that job.
  const unneeded = known.length - jobs.length - pool.target;
  // An overdue agent is part of the surplus.
  const surplus = Math.min(agreed, unneeded) - (known.length - spare.length);
  return [spare, Math.max(0, surplus)];
}

/** Names the pool of a queued job. @returns undefined for a job that no agent of davit's may take */
export function poolKeyOfJob({ profiles, system }: RoundView, job: JobRecord): string | undefined {
  const { profile, size } = matchSeenJob(profiles, system.provider, job);
  const join = job.status === 'queued' && profile ? joinOf(system, profile, job, size) : undefined;
  return join && poolKeyOf(join);
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
