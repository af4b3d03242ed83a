import { isBalanced, type PoolLook } from '../../core/agent/pool.ts';
import { atATime, writesAtATime } from '../../core/at-a-time.ts';
import { repositoryText } from '../../core/ci/ci-scope.ts';
import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { JobRecord } from '../../core/job/job-record.ts';
import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import { present } from '../../core/present.ts';
import { actOnRepairs } from './act-on-repairs.ts';
import type { Allowance } from './allowance.ts';
import { gatherRound } from './gather-round.ts';
import { lookAfter } from './plan-pool.ts';
import { planRound } from './plan-round.ts';
import { type PlannedRepair, reasonOf, subjectOf } from './planned-repair.ts';
import type { PoolView } from './pool-view.ts';
import type { ReconcileDeps, RoundDeps } from './reconcile-deps.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import type { RoundView } from './round-view.ts';

/**
 * Compares one CI system's own lists with davit's records, and repairs the differences: gathers everything, decides, then
 * acts.
 *
 * @param live the live launches of this CI system, as the index has them
 * @throws TransientError StoreUnavailable when a table did not answer; the next round does the rest
 */
export async function reconcileSystem(
  deps: RoundDeps,
  run: ReconcileRun,
  system: CiSystemConfig,
  live: readonly LaunchRecord[],
  allowance: Allowance,
): Promise<void> {
  const { view, cursor } = await gatherRound(deps, run, system, live, allowance);
  const { repairs, looks, pools } = planRound(view);
  if (!allowance.isSilent) see(view.nowEpochMs, run, system, pools);
  if (run.isDry) {
    const { name: ciSystem } = system;
    for (const repair of repairs)
      run.plan({ ciSystem, kind: repair.kind, subject: subjectOf(repair), reason: reasonOf(repair) });
    return;
  }
  await run.attempt('the repositories of open jobs', () => keepRepositories(deps, system, view.jobs.open));
  const done = await actOnRepairs(deps, run, system.name, await asFarAsPaced(deps, run, system, repairs));
  const after = new Map([...looks].map(([key, look]) => [key, lookAfter(key, look, done)]));
  await run.attempt('the looks at pools', () => keepLooks(deps, view, after));
  await run.attempt('the cursor', async () => {
    // What could not be remembered is read again.
    const isTracked = repairs.every((repair) => repair.kind !== 'track' || done.has(repair));
    const { deliveries: _deliveries, ...others } = cursor;
    const before = isTracked ? undefined : (await deps.cursors.get(system.name))?.deliveries;
    await deps.cursors.keep(system.name, isTracked ? cursor : { ...others, ...present({ deliveries: before }) });
  });
}

/** Leaves out the redeliveries that the CI system has no room for in this minute: they stay due. */
async function asFarAsPaced(
  { pace }: RoundDeps,
  run: ReconcileRun,
  { name }: CiSystemConfig,
  repairs: readonly PlannedRepair[],
): Promise<PlannedRepair[]> {
  const due = repairs.filter(({ kind }) => kind === 'redeliver');
  const room = await run.attempt('the room for redeliveries', () => pace.takeAhead(name, due.length));
  const left = new Set(due.slice(room ?? 0));
  return repairs.filter((repair) => !left.has(repair));
}

/** How old the look at a pool with warm agents may become before it is written again, in milliseconds: it must not expire. */
const lookRefreshMs = 3_600_000;

/** Writes the looks with which a later round may agree, and those that end such a one. */
async function keepLooks(
  { jobs }: ReconcileDeps,
  { system: { name }, looks: before, nowEpochMs }: RoundView,
  after: ReadonlyMap<string, PoolLook>,
): Promise<void> {
  const news = [...after].filter(([key, look]) => isNews(look, before.get(key)));
  await atATime(writesAtATime, news, ([key, look]) => jobs.keepLook(name, key, look, nowEpochMs));
}

function isNews(look: PoolLook, known: PoolLook | undefined): boolean {
  if (!isBalanced(look) || (known !== undefined && !isBalanced(known))) return true;
  if (look.nextWarm === undefined) return false;
  return look.nextWarm !== known?.nextWarm || look.atEpochMs - known.atEpochMs >= lookRefreshMs;
}

/**
 * Keeps in mind the repositories whose jobs wait or run on agents, however long ago their last event was: davit forgets
 * a repository after a quiet day, and then no longer lists its jobs.
 */
async function keepRepositories(
  { jobs, nowEpochMs }: ReconcileDeps,
  { name }: Pick<CiSystemConfig, 'name'>,
  known: readonly JobRecord[],
): Promise<void> {
  const wanted = known.filter(({ ranBy, launches, limitedBy }) => launches > 0 || (ranBy ?? limitedBy) !== undefined);
  const repositories = new Map(wanted.map((job) => [repositoryText(job.repository), job]));
  await atATime(writesAtATime, [...repositories.values()], ({ repository, organization }) =>
    jobs.noteRepository(name, { repository, ...(organization === undefined ? {} : { organization }) }, nowEpochMs()),
  );
}

function see(
  nowEpochMs: number,
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
    oldestQueuedSeconds: oldest === Infinity ? 0 : Math.max(0, Math.round((nowEpochMs - oldest) / 1000)),
  });
}
