import { type PoolLook, poolKeyOf, scopeOfPool } from '../../core/agent/pool.ts';
import type { Join } from '../../core/ci/join.ts';
import { joinOf } from '../../core/ci/join-of.ts';
import { jobKeyOf } from '../../core/job/job-id.ts';
import { type JobRecord, mergeJob } from '../../core/job/job-record.ts';
import { type LostJob, lostJobKeyOf, lostJobOf } from '../../core/job/lost-job.ts';
import { matchProfile } from '../../core/job/match-profile.ts';
import { agentNameOfRunner } from '../../core/launch/runner-names.ts';
import { present } from '../../core/present.ts';
import { planDeliveries } from './deliveries.ts';
import { planOrphans } from './orphans.ts';
import { planPool } from './plan-pool.ts';
import { planReports } from './plan-reports.ts';
import { mayBeFinished, planFinished, planOverdue } from './plan-retirements.ts';
import { planSummons } from './plan-summons.ts';
import type { PlannedRepair } from './planned-repair.ts';
import { byAge, type Demand, isUnheard, mayBeSpent, viewPools } from './pool-view.ts';
import type { RoundView } from './round-view.ts';
import { wishesOf } from './warm-pools.ts';
import { keptWarm, planAged, viewWarm, type WarmView } from './warm-view.ts';

/** What a round decides to do about one CI system. */
interface RoundPlan {
  /** In the order in which they are to be carried out. */
  repairs: PlannedRepair[];
  /** What the round saw of each pool, by its key, before the repairs. */
  looks: ReadonlyMap<string, PoolLook>;
  pools: readonly WarmView[];
}

/** Decides what a round does about one CI system, from everything that it knows. Reads and writes nothing. */
export function planRound(view: RoundView): RoundPlan {
  const { nowEpochMs, jobs, launches, warm } = view;
  // A pool of which nothing is known would look like surplus, so davit leaves it alone.
  const isShown = (join: Join | undefined) => join === undefined || !view.isLeftAlone(join.scope);
  const live = launches.live.filter(({ plan }) => isShown(plan?.join));
  const { demands, refused } = demandsOf(view);
  const shown = demands.filter(({ join }) => isShown(join)).toSorted(byAge);
  const hidden = hiddenOf(view).filter(({ join }) => isShown(join));
  const unknown = queuedIn(view, jobs.unknown).filter(({ join }) => isShown(join));
  const joins = [
    ...warm.pools.map(({ join }) => join).filter(isShown),
    ...[...hidden, ...unknown].map(({ join }) => join),
  ];
  const able = live.filter(
    (launch) =>
      !isUnheard(launch, nowEpochMs) &&
      !(mayBeSpent(launch, view.listedAtEpochMs) && launches.withoutRunner.has(launch.launchId)),
  );
  const pools = viewPools(shown, able, joins).map((pool) =>
    viewWarm(pool, wishesOf(pool, warm.pools, warm.wanted, nowEpochMs), nowEpochMs),
  );
  const finished = live.filter(
    (launch) => mayBeFinished(launch, jobs.over, nowEpochMs) && launches.withoutRunner.has(launch.launchId),
  );
  const overdue = [
    ...pools.flatMap((pool) => planAged(pool, nowEpochMs)),
    ...planOverdue(live, new Set(pools.flatMap(keptWarm)), nowEpochMs),
  ];
  const isOverdue = new Set(overdue.map(({ launch }) => launch.launchId));
  const ofPools = pools.map((pool) => {
    const ofPool = ({ join }: { join: Join }) => poolKeyOf(join) === pool.key;
    const state = {
      overdue: isOverdue,
      hidden: hidden.filter(ofPool).map(({ job }) => job),
      unknown: unknown.filter(ofPool).map(({ job }) => job),
    };
    return { key: pool.key, ...planPool(view, pool, state) };
  });
  return {
    repairs: [
      ...planNotes(view),
      ...refused,
      ...[...overdue, ...planFinished(finished)].map((retirement): PlannedRepair => ({ kind: 'retire', retirement })),
      ...pools.flatMap((pool) => planSummons(pool, isOverdue)),
      ...ofPools.flatMap(({ repairs }) => repairs),
      ...planLost(view),
      ...planReports(view, shown).map((report): PlannedRepair => ({ kind: 'report', report })),
      ...planOrphans(view),
      ...planDeliveries(view),
    ],
    looks: new Map([...endedLooks(view), ...ofPools.map(({ key, look }) => [key, look] as const)]),
    pools,
  };
}

/** Plans to write each job of which the CI system says something new, and to bind each one that runs on an agent. */
function planNotes({ jobs, installationId, nowEpochMs }: RoundView): PlannedRepair[] {
  return jobs.news.flatMap((news): PlannedRepair[] => {
    const { seen, before } = news;
    const merged = mergeJob(before, seen, nowEpochMs);
    const isNew = merged !== before;
    const isBound = merged.ranBy !== undefined;
    const isOurs = merged.runner !== undefined && agentNameOfRunner(installationId, merged.runner.name) !== undefined;
    return isNew || (isOurs && !isBound) ? [{ kind: 'note', news }] : [];
  });
}

/** Finds the pool of each queued job. Plans to write the reason for a job that has none. */
function demandsOf(view: RoundView): { demands: Demand[]; refused: PlannedRepair[] } {
  const { jobs, launches, profiles, system } = view;
  // A list may be older than an event: a job that an event has shown as running needs no agent. Nor does one that is bound
  // to an agent, if the function that bound it died before it noted that.
  const isBound = new Set(launches.live.flatMap(({ runs }) => runs?.jobKey ?? []));
  const demands = queuedIn(
    view,
    jobs.open.filter((job) => !isBound.has(jobKeyOf(job))),
  );
  const isTaken = new Set(demands.map(({ job }) => job));
  const refused = jobs.open
    .filter((job) => job.status === 'queued' && !isTaken.has(job))
    .flatMap((job): PlannedRepair[] => {
      const match = matchProfile(profiles, system, job);
      return match.reason === undefined || match.reason === job.notLaunched ? [] : [{ kind: 'refuse', job, match }];
    });
  return { demands, refused };
}

/** Finds the queued ones of some jobs that an agent of davit's may take. */
function queuedIn({ profiles, system }: RoundView, jobs: readonly JobRecord[]): Demand[] {
  return jobs.flatMap((job) => {
    const { profile, size } = matchProfile(profiles, system, job);
    const join = job.status === 'queued' && profile ? joinOf(system, profile, job, size) : undefined;
    return profile === undefined || join === undefined ? [] : [{ job, join, profile, size }];
  });
}

/**
 * Finds the jobs that wait for slots, and whose repository their CI system hides, oldest first. Only those whose agents
 * davit registers: reconciling gives them their places back if the CI system lists them later.
 */
function hiddenOf({ jobs, waiting, system }: RoundView): { job: JobRecord; join: Join }[] {
  const isHidden = new Set(jobs.hidden.map(jobKeyOf));
  return waiting
    .filter((each) => each.system.name === system.name && isHidden.has(each.jobKey))
    .toSorted((one, other) => one.queuedAtEpochMs - other.queuedAtEpochMs)
    .flatMap(({ profile, job, size }) => {
      const join = joinOf(system, profile, job, size);
      return join === undefined ? [] : [{ job, join }];
    });
}

/** Ends the looks at pools that have neither jobs nor agents any more, so that no later look agrees with them. */
function endedLooks({ looks, isLeftAlone, nowEpochMs }: RoundView): [string, PoolLook][] {
  return [...looks]
    .filter(([key]) => !isLeftAlone(scopeOfPool(key)))
    .map(([key, { nextWarm }]) => [key, { missing: 0, atEpochMs: nowEpochMs, ...present({ nextWarm }) }]);
}

/**
 * Plans to remember the jobs whose agents infrastructure took, and to ask for all lost jobs of a run at once. A node takes
 * several jobs of one run, and they become another attempt together.
 */
function planLost({ jobs, launches, lost, listedAtEpochMs }: RoundView): PlannedRepair[] {
  const isLive = new Set(launches.live.map(({ launchId }) => launchId));
  const noticed = jobs.open.flatMap((job) => {
    const { status, ranBy } = job;
    if (status !== 'in_progress' || ranBy === undefined || isLive.has(ranBy)) return [];
    const launch = launches.records.get(ranBy);
    return (launch && lostJobOf(job, launch, listedAtEpochMs)) ?? [];
  });
  const known = new Set(lost.map(lostJobKeyOf));
  const waiting: LostJob[] = [...lost, ...noticed.filter((each) => !known.has(lostJobKeyOf(each)))];
  const runs = Map.groupBy(waiting, ({ repositoryId, runId }) => `${repositoryId}/${runId}`);
  return [
    ...noticed.map((each): PlannedRepair => ({ kind: 'lose', lost: each })),
    ...[...runs.values()].map((ofRun): PlannedRepair => ({ kind: 'rerun', lost: ofRun })),
  ];
}
