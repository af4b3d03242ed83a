import { atATime, writesAtATime } from '../../core/at-a-time.ts';
import type { RoundCursor } from '../../core/ci/round-cursor.ts';
import { TerminalError } from '../../core/errors/errors.ts';
import { jobKeyOf } from '../../core/job/job-id.ts';
import { type JobRecord, mergeJob, SeenJob } from '../../core/job/job-record.ts';
import { isLive, type LaunchRecord } from '../../core/launch/launch-record.ts';
import { present } from '../../core/present.ts';
import { inTurns } from '../../core/turns.ts';
import type { CiJobState, CiSystem, ListedRunner } from '../../ports/ci-system.ts';
import type { WaitingJob } from '../../ports/jobs.ts';
import type { Allowance } from './allowance.ts';
import type { CiSight } from './read-ci.ts';
import type { RoundDeps } from './reconcile-deps.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import type { JobNews, JobsView, LaunchesView } from './round-view.ts';

/** For how long a queued job is not asked for: its agent comes up, in milliseconds. */
const comesUpMs = 180_000;

/** For how long a running job is not asked for: most jobs run shorter, in milliseconds. */
const usuallyRunsMs = 3_600_000;

/** Within which time each job that runs for longer is asked for once, in milliseconds. */
const longTurnMs = 7_200_000;

/** How many of those a round asks for, however short its part of a turn is. */
const leastLong = 10;

/**
 * For how long an answer may lack a job that is there, in milliseconds: a replica of the CI system's database lags behind
 * its events. A job that is taken for over stays so.
 */
const replicaLagMs = 180_000;

/** What davit has read before it asks for single jobs. */
interface JobsQuestion {
  sight: CiSight;
  /** The jobs that wait to run, read before the lists: one that is queued later is in neither. */
  waiting: readonly WaitingJob[];
  /** The live launches of the CI system. */
  live: readonly LaunchRecord[];
  /** How far the last round came. */
  cursor: RoundCursor | undefined;
}

/** A job that is not over by its record, and that no list has. */
interface OpenJob {
  job: JobRecord;
  sinceEpochMs: number;
  /** The launch whose agent runs it. */
  launch: LaunchRecord | undefined;
  /** The live launch that was requested for it last, whatever its agent runs. */
  requested: LaunchRecord | undefined;
}

/**
 * Reads the records of jobs, and asks, by their ids, for those in doubt, oldest first, as far as there is time and budget.
 * In doubt is a job that waits or runs on an agent by its record, if its list lacks it, its agent's runner is gone, or it
 * has been so for longer than usual. So is one that waits although its agent may have run it: all of its events may be lost. A list lacks a job that is there when another one goes while its pages are read, and
 * when its repository has been quiet for a day. Jobs that only run for longer than usual take turns, so that thousands of them
 * cost a round little. A job that is not in doubt is as its record says.
 *
 * @throws TransientError StoreUnavailable when there are unlisted jobs whose records cannot be read
 */
export async function readJobs(
  deps: RoundDeps,
  run: ReconcileRun,
  ci: CiSystem,
  allowance: Allowance,
  { sight, waiting, live, cursor }: JobsQuestion,
): Promise<JobsView & { next: Pick<RoundCursor, 'jobs' | 'longJobs'> }> {
  const isListed = new Set(sight.jobs.map(jobKeyOf));
  const read = await run.attempt('the records of jobs', () => deps.jobs.getMany([...isListed]));
  const before = new Map((read ?? []).map((record) => [jobKeyOf(record), record]));
  const news: JobNews[] = sight.jobs.map((seen) => ({ seen, before: before.get(jobKeyOf(seen)) }));

  const since = new Map(waiting.map(({ jobKey, sinceEpochMs }) => [jobKey, sinceEpochMs]));
  const liveById = new Map(live.map((launch) => [launch.launchId, launch]));
  const launchOf = new Map(live.flatMap((launch) => (launch.runs ? [[launch.runs.jobKey, launch] as const] : [])));
  const keys = [...since.keys(), ...launchOf.keys()].filter((key) => !isListed.has(key));
  const records = keys.length === 0 ? [] : await deps.jobs.getMany(keys);
  const open = records
    .filter(({ status }) => status === 'queued' || status === 'in_progress')
    .map((job): OpenJob => {
      const launch = launchOf.get(jobKeyOf(job));
      const sinceEpochMs = launch?.runs?.sinceEpochMs ?? since.get(jobKeyOf(job)) ?? 0;
      const requested = liveById.get(job.lastLaunch?.launchId ?? '');
      return { job, launch, requested, sinceEpochMs };
    });
  const now = deps.nowEpochMs();
  const contradicted = open.filter((each) => isContradicted(each, sight, now));
  const isIn = new Set(contradicted);
  const long = inTurns(
    open.filter((each) => !isIn.has(each) && runsLong(each, sight, now)),
    turnOf,
    cursor?.longJobs,
  );
  const dueLong = long.things.slice(0, countOfTurn(long.things.length, cursor?.atEpochMs, now));
  const doubtful = [...contradicted, ...dueLong];
  const isInDoubt = new Set(doubtful.map(({ job }) => job));
  const [hidden, answered]: [JobRecord[], Set<JobRecord>] = [[], new Set()];
  const shown = contradicted.filter(({ job: { repository } }) => !sight.isHidden({ repository }));
  const turns = inTurns(shown, turnOf, cursor?.jobs);
  await atATime(writesAtATime, [...turns.things, ...dueLong], async (each) => {
    if (!(await allowance.mayAsk('jobs'))) return;
    (isIn.has(each) ? turns : long).taken(each);
    const { job } = each;
    const asked = await allowance.ask(`job ${jobKeyOf(job)}`, () => askForJob(ci, each, live, deps.nowEpochMs()));
    if (asked?.answer === 'hidden') hidden.push(job);
    else if (asked?.answer !== undefined) {
      answered.add(job);
      news.push({ seen: { ...SeenJob.parse(job), ...asked.answer }, before: job });
    }
  });
  const noted = news.map((each) => mergeJob(each.before, each.seen, deps.nowEpochMs()));
  const trusted = open.map(({ job }) => job).filter((job) => !isInDoubt.has(job));
  const over = [...records, ...noted].filter(({ status }) => status === 'completed');
  return {
    news,
    open: [...noted, ...trusted].filter(({ status }) => status !== 'completed'),
    over: new Set(over.map(jobKeyOf)),
    unknown: doubtful.map(({ job }) => job).filter((job) => !answered.has(job)),
    hidden,
    next: present({ jobs: turns.next(), longJobs: long.next() }),
  };
}

/**
 * Doubts the queued jobs that nobody was asked for, and whose launch has ended since their records were read: its agent may
 * have run the job. The next round asks.
 */
export function doubtedSince(jobs: JobsView, { records }: Pick<LaunchesView, 'records'>): JobsView {
  const isAsked = new Set(jobs.news.map(({ seen }) => jobKeyOf(seen)));
  const isDoubted = (job: JobRecord) => {
    const launch = records.get(job.lastLaunch?.launchId ?? '');
    return launch !== undefined && mayHaveRun(job, launch) && !isAsked.has(jobKeyOf(job));
  };
  return {
    ...jobs,
    open: jobs.open.filter((job) => !isDoubted(job)),
    unknown: [...jobs.unknown, ...jobs.open.filter(isDoubted)],
  };
}

/** Gives a job its turn by its age. */
function turnOf({ job, sinceEpochMs }: OpenJob): string {
  return `${String(sinceEpochMs).padStart(15, '0')} ${jobKeyOf(job)}`;
}

/** Says whether something contradicts a job's record. A repository that is hidden contradicts each of its jobs. */
function isContradicted(
  { job, launch, requested, sinceEpochMs }: OpenJob,
  sight: CiSight,
  nowEpochMs: number,
): boolean {
  const { repository, status } = job;
  if (sight.hasJobsOf({ repository }) || sight.isHidden({ repository })) return true;
  if (isRunnerGone(sight, launch) || runnerIn(sight, launch)?.isBusy === false) return true;
  if (status === 'queued' && nowEpochMs - sinceEpochMs >= comesUpMs) return true;
  return launch === undefined && mayHaveRun(job, isRunnerGone(sight, requested) ? undefined : requested);
}

/**
 * Says whether the agent that was launched for a queued job may have run it, although no event says so: its launch is over.
 *
 * @param requested that launch; undefined for one that is no longer known, or whose runner is gone
 */
function mayHaveRun({ status, lastLaunch }: JobRecord, requested: LaunchRecord | undefined): boolean {
  return status === 'queued' && lastLaunch !== undefined && !isLive(requested);
}

/** Says whether the list of runners, if there is one, lacks that of a launch that has registered. */
function isRunnerGone(sight: CiSight, launch: LaunchRecord | undefined): boolean {
  const scope = launch?.plan?.join?.scope;
  const isRegistered = launch?.runner !== undefined || launch?.runs !== undefined;
  return isRegistered && scope !== undefined && sight.hasRunnersOf(scope) && runnerIn(sight, launch) === undefined;
}

/** Says whether a job runs for longer than jobs usually do, and no list shows its runner at work. */
function runsLong({ job, sinceEpochMs, launch }: OpenJob, sight: CiSight, nowEpochMs: number): boolean {
  if (job.status === 'queued' || nowEpochMs - sinceEpochMs < usuallyRunsMs) return false;
  return runnerIn(sight, launch)?.isBusy !== true;
}

function runnerIn({ runners }: CiSight, launch: LaunchRecord | undefined): ListedRunner | undefined {
  return runners.find(({ runner }) => runner.id === launch?.runner?.id)?.runner;
}

/** Says how many of some jobs a round asks for, so that each has had its turn in time. All of them in the first round. */
function countOfTurn(jobs: number, lastEpochMs: number | undefined, nowEpochMs: number): number {
  const elapsedMs = lastEpochMs === undefined ? longTurnMs : nowEpochMs - lastEpochMs;
  return Math.max(leastLong, Math.ceil((jobs * elapsedMs) / longTurnMs));
}

type SeenState = Pick<SeenJob, 'status' | 'conclusion' | 'runner'>;

/** @returns undefined when the answer does not say whether this attempt of the job is over */
async function askForJob(
  ci: CiSystem,
  open: OpenJob,
  live: readonly LaunchRecord[],
  nowEpochMs: number,
): Promise<SeenState | 'hidden' | undefined> {
  const { job, sinceEpochMs, requested } = open;
  const others = live.filter(({ runs }) => runs !== undefined && runs.jobKey !== jobKeyOf(job));
  const ofOthers = new Set(others.flatMap(({ runner }) => runner?.id ?? []));
  try {
    const { runner, runId, attempt } = job;
    const own = requested?.plan?.join?.pinnedTo === undefined ? undefined : requested.runner;
    const state = await ci.getJob(job.repository, job.jobId, { attempt, ...present({ runner, runId, own }), ofOthers });
    if (state !== undefined) return attemptOf(open, state, ci.pinned !== undefined);
    return nowEpochMs - sinceEpochMs < replicaLagMs ? undefined : { status: 'completed' };
  } catch (error) {
    if (error instanceof TerminalError) return 'hidden';
    throw error;
  }
}

function attemptOf(
  { job, requested }: OpenJob,
  { attempt, ...seen }: CiJobState,
  isPinned: boolean,
): SeenState | undefined {
  // Gitea tells the attempt by the runner, so a running job without one has no attempt to compare. Where davit chose the
  // job's agent, another one has the job once that agent's launch is over.
  if (seen.status === 'in_progress' && seen.runner === undefined) {
    return { status: isPinned && requested === undefined ? 'in_progress' : job.status };
  }
  if (attempt > job.attempt) return { status: 'completed' };
  return attempt === job.attempt && seen.status !== 'waiting' ? seen : undefined;
}
