import { type PoolLook, poolKeyOf } from '../../core/agent/pool.ts';
import { repositoryText } from '../../core/ci/ci-scope.ts';
import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { Join } from '../../core/ci/join.ts';
import { joinOf } from '../../core/ci/join-of.ts';
import { jobKeyOf } from '../../core/job/job-id.ts';
import { changesOf, type JobRecord, mergeJob, type SeenJob } from '../../core/job/job-record.ts';
import { matchSeenJob } from '../../core/job/match-profile.ts';
import { refusedJobOf } from '../../core/job/refused-job.ts';
import { isLive, type LaunchRecord } from '../../core/launch/launch-record.ts';
import type { LaunchId } from '../../core/launch/names.ts';
import { bindJob, noteBound } from '../../logic/lifecycle/bind-job.ts';
import { askUnlisted } from './ask-unlisted.ts';
import { atATime, writesAtATime } from './at-a-time.ts';
import { unlistedOf } from './forget-unlisted.ts';
import { goneRunners } from './gone-runners.ts';
import { mayBeFinished, planFinished, planOverdue } from './plan-retirements.ts';
import { type Demand, mayBeSpent, type PoolView, viewPools } from './pool-view.ts';
import { readCi } from './read-ci.ts';
import { readWarm } from './read-warm.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import { redeliver } from './redeliver.ts';
import { removeGhosts } from './remove-ghosts.ts';
import { repairPool } from './repair-pool.ts';
import { rerunLost } from './rerun-lost.ts';
import { retireAll } from './retire-all.ts';
import { tellWaiting } from './tell-waiting.ts';
import type { RoundDeps } from './waiting-list.ts';
import { wishesOf } from './warm-pools.ts';
import { keptWarm, planAged, viewWarm } from './warm-view.ts';

/**
 * Compares one CI system's own lists with davit's records, and repairs the differences. Reads every list before it
 * writes anything.
 *
 * @param live the live launches of this CI system, as the index has them
 * @throws TransientError, TerminalError when the CI system or a table did not answer; the next round does the rest
 */
export async function reconcileSystem(
  deps: RoundDeps,
  run: ReconcileRun,
  system: CiSystemConfig,
  live: readonly LaunchRecord[],
): Promise<void> {
  const { jobs, profiles, installationId } = deps;
  const ci = deps.ciSystemOf(system.name);
  const places = await jobs.listPlaces(system.name, deps.nowEpochMs());
  const waiting = await run.attempt('jobs that wait for slots', () => deps.waiting.atFirst());
  const open = await jobs.listWaiting(system.name);
  const listedAtEpochMs = deps.nowEpochMs();
  const sight = await readCi(ci, { system, profiles, places, launches: live, installationId }, run);

  const noted = await noteAll(deps, run, sight.jobs);
  const asked = await askUnlisted(deps, run, ci, {
    listed: sight.jobs,
    waiting: open,
    live,
    isShown: ({ repository }) => !sight.isHidden({ repository }),
  });
  const known = [...noted, ...asked.open];
  await run.attempt('the repositories of open jobs', () => keepPlaces(deps, system, known));
  const looks = await jobs.readLooks(system.name);
  const warm = await readWarm(deps, system, looks, live);
  const warmIds = [...warm.latest.values()].flatMap(({ records }) => records.map(({ launchId }) => launchId));
  const indexed = await readAgain(deps, run, [...live.map(({ launchId }) => launchId), ...warmIds]);
  const all = [...indexed, ...(await unindexed(deps, run, known, indexed))];
  const ids = new Set(all.map(({ launchId }) => launchId));
  // A pool in a hidden place would look like surplus, so davit leaves it alone.
  const isShown = (join: Join | undefined) => join === undefined || !sight.isHidden(join.scope);
  const launches = all.filter(({ plan }) => isShown(plan?.join));
  const demands = (await demandsOf(deps, run, system, known)).filter(({ join }) => isShown(join));
  const warmJoins = warm.pools.map(({ join }) => join);
  const unlisted = unlistedOf(system, waiting ?? [], asked.hidden);
  const joins = [...warmJoins.filter(isShown), ...unlisted.map(({ join }) => join)];
  const finished = launches.filter((launch) => mayBeFinished(launch, asked.over, deps.nowEpochMs()));
  const spent = launches.filter((launch) => mayBeSpent(launch, listedAtEpochMs));
  const gone = await goneRunners(run, ci, [...finished, ...spent], sight, deps.nowEpochMs());
  const isSpent = new Set(spent.map(({ launchId }) => launchId).filter((launchId) => gone.has(launchId)));
  const able = launches.filter(({ launchId }) => !isSpent.has(launchId));
  const pools = viewPools(demands, able, joins).map((pool) =>
    viewWarm(pool, wishesOf(pool, warm.pools, warm.wanted, deps.nowEpochMs()), deps.nowEpochMs()),
  );
  see(deps, run, system, pools);

  const hidden = new Set(warmJoins.filter((join) => !isShown(join)).map(poolKeyOf));
  const kept = new Map<string, PoolLook>([...looks].filter(([key]) => hidden.has(key)));
  const aged = pools.flatMap((pool) => planAged(pool, deps.nowEpochMs()));
  const overdue = [...aged, ...planOverdue(launches, new Set(pools.flatMap(keptWarm)), deps.nowEpochMs())];
  const isOverdue = new Set(overdue.map(({ launch }) => launch.launchId));
  await retireAll(deps, run, system, [
    ...overdue,
    ...planFinished(finished.filter(({ launchId }) => gone.has(launchId))),
  ]);
  for (const pool of pools) {
    const before = looks.get(pool.key);
    const latest = warm.latest.get(pool.key);
    const ofPool = unlisted.filter(({ join }) => poolKeyOf(join) === pool.key);
    const unknown = asked.unknown.filter((job) => poolKeyOfJob(deps, system, job) === pool.key);
    const state = { before, latest, isOverdue, unlisted: ofPool, unknown, listedAtEpochMs };
    kept.set(pool.key, await repairPool(deps, run, system, pool, state));
  }
  await run.attempt('the looks at pools', () => jobs.keepLooks(system.name, kept, deps.nowEpochMs()));
  await run.attempt('lost jobs', () => rerunLost(deps, run, system, { known, live: ids, listedAtEpochMs }));
  await run.attempt('the reports of waiting jobs', () =>
    tellWaiting(deps, run, system, { listed: sight.jobs, known, unknown: asked.unknown, demands }),
  );
  await run.attempt('runners without an agent', () => removeGhosts(deps, run, system, sight.runners));
  await redeliver(deps, run, system, sight.failedDeliveries);
}

/**
 * Notes the listed jobs, and binds the running ones to their agents. Reads the records together, and writes only those to
 * which the list adds something.
 *
 * @returns their records; for a job that could not be noted, the list's data: otherwise its agent would look like
 *   surplus
 */
async function noteAll(deps: ReconcileDeps, run: ReconcileRun, listed: readonly SeenJob[]): Promise<JobRecord[]> {
  const read = await run.attempt('the records of jobs', () => deps.jobs.getMany(listed.map(jobKeyOf)));
  const before = new Map((read ?? []).map((record) => [jobKeyOf(record), record]));
  const known: JobRecord[] = [];
  await atATime(writesAtATime, listed, async (seen) => {
    const subject = `job ${jobKeyOf(seen)}`;
    const record = await noteOne(deps, run, seen, before.get(jobKeyOf(seen)));
    known.push(record);
    if (record.ranBy === undefined) await run.attempt(subject, () => bindJob(deps, record));
  });
  return known;
}

/**
 * Keeps in mind the repositories whose jobs wait or run on agents, however long ago their last event was: davit forgets
 * a repository after a quiet day, and then no longer lists its jobs.
 */
async function keepPlaces(
  { jobs, nowEpochMs }: ReconcileDeps,
  { name }: Pick<CiSystemConfig, 'name'>,
  known: readonly JobRecord[],
): Promise<void> {
  const wanted = known.filter(({ ranBy, launches, limitedBy }) => launches > 0 || (ranBy ?? limitedBy) !== undefined);
  const places = new Map(wanted.map((job) => [repositoryText(job.repository), job]));
  await atATime(writesAtATime, [...places.values()], ({ repository, organization }) =>
    jobs.notePlace(name, { repository, ...(organization === undefined ? {} : { organization }) }, nowEpochMs()),
  );
}

async function noteOne(
  deps: ReconcileDeps,
  run: ReconcileRun,
  seen: SeenJob,
  before: JobRecord | undefined,
): Promise<JobRecord> {
  const merged = mergeJob(before, seen, deps.nowEpochMs());
  if (before !== undefined && changesOf(before, merged).length === 0) return before;
  return (await run.attempt(`job ${jobKeyOf(seen)}`, () => noteBound(deps, before, seen)))?.record ?? merged;
}

/** Reads the launches consistently, after the CI system's lists: an agent that got a job since then is not surplus. */
async function readAgain(
  { launches }: ReconcileDeps,
  run: ReconcileRun,
  launchIds: readonly LaunchId[],
): Promise<LaunchRecord[]> {
  const { records, unreadable } = await launches.getMany([...new Set(launchIds)]);
  for (const { launchId, why } of unreadable) run.fail(`launch ${launchId}`, `its record cannot be read: ${why}`);
  return [...records.values()].filter(isLive);
}

/** Reads the launches of queued jobs that the index lacks: it may be behind a launch that was requested a moment ago. */
async function unindexed(
  deps: ReconcileDeps,
  run: ReconcileRun,
  known: readonly JobRecord[],
  indexed: readonly LaunchRecord[],
): Promise<LaunchRecord[]> {
  const isIndexed = new Set(indexed.map(({ launchId }) => launchId));
  const lastIds = known
    .filter(({ status }) => status === 'queued')
    .flatMap(({ lastLaunch }) => lastLaunch?.launchId ?? []);
  const missing = lastIds.filter((launchId) => !isIndexed.has(launchId));
  return (await run.attempt('the launches of queued jobs', () => readAgain(deps, run, missing))) ?? [];
}

function poolKeyOfJob({ profiles }: ReconcileDeps, system: CiSystemConfig, job: JobRecord): string | undefined {
  const { profile, size } = matchSeenJob(profiles, system.provider, job);
  const join = job.status === 'queued' && profile ? joinOf(system, profile, job, size) : undefined;
  return join && poolKeyOf(join);
}

/** Finds the pool of each queued job. If a job has none, writes the reason into its record. */
async function demandsOf(
  deps: ReconcileDeps,
  run: ReconcileRun,
  system: CiSystemConfig,
  known: readonly JobRecord[],
): Promise<Demand[]> {
  const demands: Demand[] = [];
  // A list may be older than an event: a job that an event has shown as running needs no agent.
  const queued = known.filter(({ status }) => status === 'queued');
  await atATime(writesAtATime, queued, async (job) => {
    const match = matchSeenJob(deps.profiles, system.provider, job);
    const { profile, size, reason } = match;
    const join = profile && joinOf(system, profile, job, size);
    if (profile !== undefined && join !== undefined) demands.push({ job, join, profile, size });
    else if (reason !== undefined && reason !== job.notLaunched) {
      await run.attempt(`job ${jobKeyOf(job)}`, async () => {
        await deps.jobs.noteNotLaunched(job, reason);
        const refused = refusedJobOf(job, match, deps.nowEpochMs());
        if (refused !== undefined) run.refuse(refused);
      });
    }
  });
  return demands;
}

function see(
  { nowEpochMs }: ReconcileDeps,
  run: ReconcileRun,
  { name: ciSystem }: CiSystemConfig,
  pools: readonly PoolView[],
): void {
  const queued = pools.flatMap(({ demands }) => demands);
  const oldest = Math.min(...queued.map(({ job }) => job.queuedAtEpochMs ?? Infinity));
  run.see({
    ciSystem,
    queued: queued.length,
    idle: pools.reduce((sum, { idle }) => sum + idle.length, 0),
    oldestQueuedSeconds: oldest === Infinity ? 0 : Math.max(0, Math.round((nowEpochMs() - oldest) / 1000)),
  });
}
