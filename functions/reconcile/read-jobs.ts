import { atATime, writesAtATime } from '../../core/at-a-time.ts';
import { TerminalError } from '../../core/errors/errors.ts';
import { jobKeyOf } from '../../core/job/job-id.ts';
import { type JobRecord, mergeJob, SeenJob } from '../../core/job/job-record.ts';
import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import { inTurns } from '../../core/turns.ts';
import type { CiJobState, CiSystem } from '../../ports/ci-system.ts';
import type { WaitingJob } from '../../ports/jobs.ts';
import type { Allowance } from './allowance.ts';
import type { CiSight } from './read-ci.ts';
import type { RoundDeps } from './reconcile-deps.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import type { JobNews, JobsView } from './round-view.ts';

/** For how long a queued job is not asked for: its agent comes up, in milliseconds. */
const comesUpMs = 180_000;

/** For how long a running job is not asked for: most jobs run shorter, in milliseconds. */
const usuallyRunsMs = 3_600_000;

/** What davit has read before it asks for single jobs. */
export interface JobsQuestion {
  sight: CiSight;
  /** The jobs that wait to run, read before the lists: one that is queued later is in neither. */
  waiting: readonly WaitingJob[];
  /** The live launches of the CI system. */
  live: readonly LaunchRecord[];
  /** The last job that an earlier round asked for. */
  after: string | undefined;
}

/** A job that is not over by its record, and that no list has. */
interface OpenJob {
  job: JobRecord;
  sinceEpochMs: number;
  /** The launch whose agent runs it. */
  launch: LaunchRecord | undefined;
}

/**
 * Reads the records of jobs, and asks, by their ids, for those in doubt, oldest first, as far as there is time and budget.
 * In doubt is a job that waits or runs on an agent by its record, if its list lacks it, its agent's runner is gone, or it
 * has been so for longer than usual. A list lacks a job that is there when another one goes while its pages are read, and
 * when its repository has been quiet for a day. A job that is not in doubt is as its record says.
 *
 * @throws TransientError StoreUnavailable when there are unlisted jobs whose records cannot be read
 */
export async function readJobs(
  deps: RoundDeps,
  run: ReconcileRun,
  ci: CiSystem,
  allowance: Allowance,
  { sight, waiting, live, after }: JobsQuestion,
): Promise<JobsView & { next: string | undefined }> {
  const isListed = new Set(sight.jobs.map(jobKeyOf));
  const read = await run.attempt('the records of jobs', () => deps.jobs.getMany([...isListed]));
  const before = new Map((read ?? []).map((record) => [jobKeyOf(record), record]));
  const news: JobNews[] = sight.jobs.map((seen) => ({ seen, before: before.get(jobKeyOf(seen)) }));

  const since = new Map(waiting.map(({ jobKey, sinceEpochMs }) => [jobKey, sinceEpochMs]));
  const launchOf = new Map(live.flatMap((launch) => (launch.runs ? [[launch.runs.jobKey, launch] as const] : [])));
  const keys = [...since.keys(), ...launchOf.keys()].filter((key) => !isListed.has(key));
  const records = keys.length === 0 ? [] : await deps.jobs.getMany(keys);
  const open = records
    .filter(({ status }) => status === 'queued' || status === 'in_progress')
    .map((job): OpenJob => {
      const launch = launchOf.get(jobKeyOf(job));
      const sinceEpochMs = launch?.runs?.sinceEpochMs ?? since.get(jobKeyOf(job)) ?? 0;
      return { job, launch, sinceEpochMs };
    });
  const doubtful = open.filter((each) => isDoubtful(each, sight, deps.nowEpochMs()));
  const isInDoubt = new Set(doubtful.map(({ job }) => job));
  const [hidden, answered]: [JobRecord[], Set<JobRecord>] = [[], new Set()];
  const shown = doubtful.filter(({ job: { repository } }) => !sight.isHidden({ repository }));
  const turns = inTurns(shown, turnOf, after);
  await atATime(writesAtATime, turns.things, async (each) => {
    if (!allowance.mayAsk('jobs')) return;
    turns.taken(each);
    const { job } = each;
    const asked = await allowance.ask(`job ${jobKeyOf(job)}`, () => askForJob(ci, job));
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
    next: turns.next(),
  };
}

/** Gives a job its turn by its age. */
function turnOf({ job, sinceEpochMs }: OpenJob): string {
  return `${String(sinceEpochMs).padStart(15, '0')} ${jobKeyOf(job)}`;
}

function isDoubtful({ job, sinceEpochMs, launch }: OpenJob, sight: CiSight, nowEpochMs: number): boolean {
  const { repository, status } = job;
  if (sight.hasJobsOf({ repository }) || sight.isHidden({ repository })) return true;
  const runner = launch?.runner;
  const scope = launch?.plan?.join?.scope;
  const isRunnerGone =
    scope !== undefined && sight.hasRunnersOf(scope) && !sight.runners.some((each) => each.runner.id === runner?.id);
  return isRunnerGone || nowEpochMs - sinceEpochMs >= (status === 'queued' ? comesUpMs : usuallyRunsMs);
}

type SeenState = Pick<SeenJob, 'status' | 'conclusion' | 'runner'>;

/** @returns undefined when the answer does not say whether this attempt of the job is over */
async function askForJob(ci: CiSystem, job: JobRecord): Promise<SeenState | 'hidden' | undefined> {
  if (typeof job.jobId !== 'number') return undefined;
  try {
    return attemptOf(job, await ci.getJob(job.repository, job.jobId, job.runner));
  } catch (error) {
    if (error instanceof TerminalError) return 'hidden';
    throw error;
  }
}

function attemptOf(job: JobRecord, state: CiJobState | undefined): SeenState | undefined {
  if (state === undefined) return { status: 'completed' };
  const { attempt, ...seen } = state;
  // Gitea tells the attempt by the runner, so a running job without one has no attempt to compare.
  if (seen.status === 'in_progress' && seen.runner === undefined) return { status: job.status };
  if (attempt > job.attempt) return { status: 'completed' };
  return attempt === job.attempt && seen.status !== 'waiting' ? seen : undefined;
}
