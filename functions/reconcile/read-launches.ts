import { atATime, writesAtATime } from '../../core/at-a-time.ts';
import { type JobRecord, mergeJob } from '../../core/job/job-record.ts';
import { latestLaunchesOf } from '../../core/job/job-tries.ts';
import { isLive, type LaunchRecord } from '../../core/launch/launch-record.ts';
import { type LaunchId, launchIdOfAgent } from '../../core/launch/names.ts';
import { agentNameOfRunner } from '../../core/launch/runner-names.ts';
import { bindJob } from '../../core/launch/transitions.ts';
import { inTurns } from '../../core/turns.ts';
import { boundJobOf } from '../../logic/lifecycle/bind-job.ts';
import type { CiSystem } from '../../ports/ci-system.ts';
import type { Allowance } from './allowance.ts';
import { namedRunners } from './orphans.ts';
import { mayBeFinished } from './plan-retirements.ts';
import { mayBeSpent } from './pool-view.ts';
import type { RegisteredRunner } from './read-ci.ts';
import type { RoundDeps } from './reconcile-deps.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import type { JobsView, LaunchesView } from './round-view.ts';

/** What davit has read before it reads the launches. */
interface LaunchesQuestion {
  jobs: JobsView;
  runners: readonly RegisteredRunner[];
  /** The launches that the index has, and the latest warm ones. */
  indexed: readonly LaunchId[];
  listedAtEpochMs: number;
  /** The last runner that an earlier round asked for. */
  after: string | undefined;
}

/**
 * Reads launches consistently, after the CI system's lists: an agent that got a job since then is not surplus. Reads those
 * of the index, and those of jobs and runners: the index may be behind a launch that was requested a moment ago. Then asks
 * the CI system for the runners that no list has and that may be gone.
 *
 * @throws TransientError StoreUnavailable
 */
export async function readLaunches(
  deps: RoundDeps,
  run: ReconcileRun,
  ci: CiSystem,
  allowance: Allowance,
  { jobs, runners, indexed, listedAtEpochMs, after }: LaunchesQuestion,
): Promise<LaunchesView & { next: string | undefined }> {
  const first = await readRecords(deps, run, indexed);
  const named = namedRunners(deps.installationId, runners);
  const others = new Set([...jobs.open.flatMap(launchesOf), ...named.map(({ launchId }) => launchId)]);
  for (const launchId of indexed) others.delete(launchId);
  const second = await run.attempt('the launches of jobs and runners', () => readRecords(deps, run, [...others]));
  const read = new Map([...first.records, ...(second?.records ?? [])]);
  const unread = new Set([...first.unread, ...(second?.unread ?? others)]);
  const records = boundTo(deps, read, jobs);
  const live = [...records.values()].filter(isLive);
  const doubtful = live.filter(
    (launch) => mayBeFinished(launch, jobs.over, deps.nowEpochMs()) || mayBeSpent(launch, listedAtEpochMs),
  );
  const listed = new Set(runners.map(({ runner }) => runner.id));
  const unlisted = doubtful.filter(({ runner }) => runner !== undefined && !listed.has(runner.id));
  return { live, records, unread, ...(await askForRunners(ci, allowance, unlisted, after)) };
}

/** Names the launches that decide about a job: its latest ones, and that of the agent that runs it. */
function launchesOf(job: JobRecord): LaunchId[] {
  const { status, lastLaunch, ranBy } = job;
  if (status === 'queued')
    return [...latestLaunchesOf(job), ...(lastLaunch === undefined ? [] : [lastLaunch.launchId])];
  return ranBy === undefined ? [] : [ranBy];
}

async function readRecords(
  { launches }: RoundDeps,
  run: ReconcileRun,
  launchIds: readonly LaunchId[],
): Promise<{ records: ReadonlyMap<LaunchId, LaunchRecord>; unread: LaunchId[] }> {
  const { records, unreadable } = await launches.getMany([...new Set(launchIds)]);
  for (const { launchId, why } of unreadable) run.fail(`launch ${launchId}`, `its record cannot be read: ${why}`);
  return { records, unread: unreadable.map(({ launchId }) => launchId) };
}

/** Binds the launches to the jobs that the CI system says their agents run, as the round is about to write it. */
function boundTo(
  { installationId, nowEpochMs }: RoundDeps,
  records: ReadonlyMap<LaunchId, LaunchRecord>,
  { news }: JobsView,
): ReadonlyMap<LaunchId, LaunchRecord> {
  const bound = new Map(records);
  const now = nowEpochMs();
  for (const { seen, before } of news) {
    const job = mergeJob(before, seen, now);
    const { runner } = job;
    const agentName = runner && agentNameOfRunner(installationId, runner.name);
    if (runner === undefined || agentName === undefined || job.ranBy !== undefined) continue;
    const launchId = launchIdOfAgent(agentName);
    const after = bindJob({ ...job, id: runner.id }, boundJobOf(job, now), now)(bound.get(launchId));
    if (after !== undefined) bound.set(launchId, after);
  }
  return bound;
}

/**
 * Asks for the runners that no list has, by their ids, and finds the launches whose runner is gone from the CI system.
 *
 * @returns the launches of which the CI system says so; no answer is none of them
 */
async function askForRunners(
  ci: CiSystem,
  allowance: Allowance,
  unlisted: readonly LaunchRecord[],
  after: string | undefined,
): Promise<{ withoutRunner: ReadonlySet<LaunchId>; next: string | undefined }> {
  const gone = new Set<LaunchId>();
  const turns = inTurns(unlisted, ({ launchId }) => launchId, after);
  await atATime(writesAtATime, turns.things, async (launch) => {
    const { launchId, runner, plan } = launch;
    const { scope, pinnedTo } = plan?.join ?? {};
    if (runner === undefined || scope === undefined || !(await allowance.mayAsk('runners'))) return;
    turns.taken(launch);
    const asked = await allowance.ask(`runner ${runner.name}`, () => ci.getRunner(scope, runner.id, pinnedTo));
    if (asked !== undefined && asked.answer === undefined) gone.add(launchId);
  });
  return { withoutRunner: gone, next: turns.next() };
}
