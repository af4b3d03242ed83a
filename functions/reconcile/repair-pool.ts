import { agreedCount, agreedRepairs, type PoolLook } from '../../core/agent/pool.ts';
import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { JobRecord } from '../../core/job/job-record.ts';
import type { LaunchId } from '../../core/launch/names.ts';
import { forgetUnlisted, type UnlistedJob } from './forget-unlisted.ts';
import { launchMissing } from './launch-missing.ts';
import { type LatestWarm, launchWarm } from './launch-warm.ts';
import { planSurplus } from './plan-retirements.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import { retireAll } from './retire-all.ts';
import type { RoundDeps } from './waiting-list.ts';
import { countOf, type WarmView } from './warm-view.ts';

/** How old the last look at a pool may be, in milliseconds: two missed rounds. */
const lookMaxAgeMs = 180_000;

/** How old it must be: a schedule's event may come twice, and two looks at the same list count as one. */
const lookMinAgeMs = 20_000;

/** How far a CI system's list of jobs may lag behind the event that a launch was requested for, in milliseconds. */
const listLagMs = 30_000;

/** What a round knows of a pool beside its jobs and agents. */
export interface PoolState {
  /** What an earlier round saw. */
  before: PoolLook | undefined;
  /** Its latest warm launches; undefined for a pool without warm agents. */
  latest: LatestWarm | undefined;
  /** The launches that this round retires anyway. */
  isOverdue: ReadonlySet<LaunchId>;
  /** Its jobs that wait for slots, and whose repository the CI system does not show. */
  unlisted: readonly UnlistedJob[];
  /** The jobs that it may have besides those that the view shows. */
  unknown: readonly JobRecord[];
  /** When the round began to read the CI system's lists. */
  listedAtEpochMs: number;
}

/**
 * Launches and retires agents of a pool, and forgets jobs that wait for slots, as far as two looks agree.
 *
 * @returns the look for the next round
 */
export async function repairPool(
  deps: RoundDeps,
  run: ReconcileRun,
  system: CiSystemConfig,
  pool: WarmView,
  { before, latest, isOverdue, unlisted, unknown, listedAtEpochMs }: PoolState,
): Promise<PoolLook> {
  const now = deps.nowEpochMs();
  const count = countOf(pool);
  const look = before !== undefined && now - before.atEpochMs <= lookMaxAgeMs ? before : undefined;
  const missed = new Set(look?.unlisted);
  const gone = unlisted.filter(({ jobKey }) => missed.has(jobKey));
  if (look !== undefined && now - look.atEpochMs < lookMinAgeMs) {
    // The earlier look keeps its time, so that a later round can agree with it, however often rounds come.
    const numbered = latest === undefined ? {} : { nextWarm: latest.next };
    return { ...look, ...agreedCount(look, count), ...numbered, unlisted: gone.map(({ jobKey }) => jobKey) };
  }
  await forgetUnlisted(deps, run, gone);
  const agreed = agreedRepairs(look, count);
  const launching = run.attempt(`pool ${pool.key}`, () => launchMissing(deps, run, system, pool, agreed.launch));
  const launched = (await launching) ?? 0;
  const nextWarm = latest && (await launchWarm(deps, run, system, pool, latest, agreed.warm));
  const warmed = latest === undefined || nextWarm === undefined ? 0 : nextWarm - latest.next;
  // Two looks may each lack the job of another new launch, so such a launch is no surplus yet.
  const jobs = [...pool.demands.map(({ job }) => job), ...unknown];
  const listed = new Set(jobs.map(({ lastLaunch }) => lastLaunch?.launchId));
  const known = pool.fresh.filter(
    ({ launchId, requestedAtEpochMs }) => listed.has(launchId) || requestedAtEpochMs <= listedAtEpochMs - listLagMs,
  );
  const spare = known.filter(({ launchId }) => !isOverdue.has(launchId));
  // An agent that an unknown job may wait for is not retired, and none is launched for that job.
  const unneeded = known.length - jobs.length - pool.target;
  // An overdue agent is part of the surplus.
  const surplus = Math.min(agreed.retire, unneeded) - (known.length - spare.length);
  const retired = await retireAll(deps, run, system, planSurplus(spare, Math.max(0, surplus)));
  // The view includes this round's own repairs, because the next round may read an index that lacks them.
  const change = retired - launched - warmed;
  return {
    missing: count.missing + change,
    missingWithWarm: count.missingWithWarm + change,
    ...(nextWarm === undefined ? {} : { nextWarm }),
    ...(unlisted.length === 0 ? {} : { unlisted: unlisted.map(({ jobKey }) => jobKey) }),
    atEpochMs: now,
  };
}
