import type { CiSystemConfig } from '../domain/ci-system-config.ts';
import type { JobRecord, SeenJob } from '../domain/job-record.ts';
import { jobKeyOf } from '../domain/job-record.ts';
import { joinOf } from '../domain/join-of.ts';
import { isLive, type LaunchRecord } from '../domain/launch-record.ts';
import { matchProfile } from '../domain/match-profile.ts';
import { agreedMissing, type PoolLook } from '../domain/pool.ts';
import { bindJob } from '../launch-lifecycle/bind-job.ts';
import { atATime } from './at-a-time.ts';
import { launchMissing } from './launch-missing.ts';
import { planOverdue, planSurplus } from './plan-retirements.ts';
import { type Demand, missingIn, type PoolView, viewPools } from './pool-view.ts';
import { readCi } from './read-ci.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import { redeliver } from './redeliver.ts';
import { removeGhosts } from './remove-ghosts.ts';
import { retireAll } from './retire-all.ts';

/** How old the last look at a pool may be, in milliseconds: two rounds that were missed. */
const lookMaxAgeMs = 180_000;

/** How many jobs are noted at a time. */
const notedAtATime = 10;

/**
 * Compares one CI system's own lists with davit's records, and repairs what differs. Nothing is written before every list
 * is read.
 *
 * @param live the live launches of this CI system, as the index has them
 * @throws TransientError, TerminalError when the CI system or a table did not answer; what is left, the next round does
 */
export async function reconcileSystem(
  deps: ReconcileDeps,
  run: ReconcileRun,
  system: CiSystemConfig,
  live: readonly LaunchRecord[],
): Promise<void> {
  const { jobs, profiles, installationId } = deps;
  const ci = deps.ciSystemOf(system.name);
  const places = await jobs.listPlaces(system.name, deps.nowEpochMs());
  const sight = await readCi(ci, { system, profiles, places, launches: live, installationId });

  const known = await noteAll(deps, run, sight.jobs);
  const launches = await readAgain(deps, run, live);
  const demands = await demandsOf(deps, system, known);
  const pools = viewPools(demands, launches);
  see(deps, run, system, pools);

  const looks = await jobs.readLooks(system.name);
  const kept = new Map<string, PoolLook>();
  const overdue = planOverdue(launches, deps.nowEpochMs());
  const isOverdue = new Set(overdue.map(({ launch }) => launch.launchId));
  await retireAll(deps, run, system, overdue);
  for (const pool of pools) {
    const now = deps.nowEpochMs();
    const missing = missingIn(pool);
    const { launch, retire } = agreedMissing(freshLook(looks.get(pool.key), now), missing);
    const launched = await launchMissing(deps, run, system, pool, launch);
    // An agent that is overdue is one of the surplus.
    const surplus = retire - pool.idle.filter(({ launchId }) => isOverdue.has(launchId)).length;
    const spare = pool.idle.filter(({ launchId }) => !isOverdue.has(launchId));
    const retired = await retireAll(deps, run, system, planSurplus(spare, Math.max(0, surplus)));
    // What was done counts as seen: the next round may read an index that does not have it yet.
    kept.set(pool.key, { missing: missing - launched + retired, atEpochMs: now });
  }
  await jobs.keepLooks(system.name, kept, deps.nowEpochMs());
  await removeGhosts(deps, run, system, sight.runners);
  await redeliver(deps, run, system, sight.failedDeliveries);
}

function freshLook(look: PoolLook | undefined, nowEpochMs: number): PoolLook | undefined {
  return look !== undefined && nowEpochMs - look.atEpochMs <= lookMaxAgeMs ? look : undefined;
}

/** Notes the listed jobs, and binds those that run to their agents. @returns their records */
async function noteAll(deps: ReconcileDeps, run: ReconcileRun, listed: readonly SeenJob[]): Promise<JobRecord[]> {
  const known: JobRecord[] = [];
  await atATime(notedAtATime, listed, async (seen) => {
    const record = await run.attempt(`job ${jobKeyOf(seen)}`, () => deps.jobs.note(seen, deps.nowEpochMs()));
    if (record === undefined) return;
    known.push(record);
    if (record.ranBy === undefined) await run.attempt(`job ${jobKeyOf(seen)}`, () => bindJob(deps, seen));
  });
  return known;
}

/** Reads the launches consistently, after the CI system's lists: an agent that has got a job since then is no surplus. */
async function readAgain(
  { launches }: ReconcileDeps,
  run: ReconcileRun,
  live: readonly LaunchRecord[],
): Promise<LaunchRecord[]> {
  const { records, unreadable } = await launches.getMany(live.map(({ launchId }) => launchId));
  for (const { launchId, why } of unreadable) run.fail(`launch ${launchId}`, `its record cannot be read: ${why}`);
  return [...records.values()].filter(isLive);
}

/** Finds the pool of each queued job. Writes into the job's record why it has none. */
async function demandsOf(deps: ReconcileDeps, system: CiSystemConfig, known: readonly JobRecord[]): Promise<Demand[]> {
  const demands: Demand[] = [];
  // A list may be older than an event: a job that an event has seen running is no demand.
  for (const job of known.filter(({ status }) => status === 'queued')) {
    const { name, labels, attempt, jobId: id, repositoryId } = job;
    const repository = { id: repositoryId, ...job.repository };
    const { profile, reason } = matchProfile(deps.profiles, system.provider, {
      repository,
      job: { id, attempt, name, labels },
    });
    const join = profile && joinOf(system, profile, job);
    if (profile !== undefined && join !== undefined) demands.push({ job, join, profile });
    else if (reason !== undefined && reason !== job.notLaunched) await deps.jobs.noteNotLaunched(job, reason);
  }
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
