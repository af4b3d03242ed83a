import { TerminalError } from '../../core/errors/errors.ts';
import { jobKeyOf } from '../../core/job/job-id.ts';
import { type JobRecord, mergeJob, SeenJob } from '../../core/job/job-record.ts';
import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import type { CiJobState, CiSystem } from '../../ports/ci-system.ts';
import type { WaitingJob } from '../../ports/jobs.ts';
import { atATime, writesAtATime } from './at-a-time.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import type { RoundDeps } from './round-deps.ts';
import type { JobNews, JobsView } from './round-view.ts';
import { inTurns } from './turns.ts';

/** What davit has read before it asks for single jobs. */
export interface JobsQuestion {
  listed: readonly SeenJob[];
  /** The jobs that wait to run, read before the lists: one that is queued later is in neither. */
  waiting: readonly WaitingJob[];
  /** The live launches of the CI system. */
  live: readonly LaunchRecord[];
  isShown: (job: JobRecord) => boolean;
}

/**
 * Reads the records of jobs, and asks, by their ids, for jobs that the CI system does not list, though by their records
 * they wait or run on an agent. A list lacks a job that is there when another one goes while its pages are read, and when
 * its repository has been quiet for a day.
 *
 * @throws TransientError StoreUnavailable when there are unlisted jobs whose records cannot be read
 */
export async function readJobs(
  deps: RoundDeps,
  run: ReconcileRun,
  ci: CiSystem,
  { listed, waiting, live, isShown }: JobsQuestion,
): Promise<JobsView> {
  const isListed = new Set(listed.map(jobKeyOf));
  const read = await run.attempt('the records of jobs', () => deps.jobs.getMany([...isListed]));
  const before = new Map((read ?? []).map((record) => [jobKeyOf(record), record]));
  const news: JobNews[] = listed.map((seen) => ({ seen, before: before.get(jobKeyOf(seen)) }));

  const running = live.flatMap(({ runs }) => runs?.jobKey ?? []);
  const keys = [...waiting.map(({ jobKey }) => jobKey), ...running].filter((key) => !isListed.has(key));
  const records = keys.length === 0 ? [] : await deps.jobs.getMany(keys);
  const doubtful = records.filter(({ status }) => status === 'queued' || status === 'in_progress');
  const [hidden, answered]: [JobRecord[], Set<string>] = [[], new Set()];
  await atATime(writesAtATime, inTurns(doubtful.filter(isShown), deps.nowEpochMs()), async (job) => {
    if (!run.mayBegin()) return;
    await run.attempt(`job ${jobKeyOf(job)}`, async () => {
      const state = await askForJob(ci, job);
      if (state === 'hidden') hidden.push(job);
      else if (state !== undefined) {
        answered.add(jobKeyOf(job));
        news.push({ seen: { ...SeenJob.parse(job), ...state }, before: job });
      }
    });
  });
  const noted = news.map((each) => mergeJob(each.before, each.seen, deps.nowEpochMs()));
  const over = [...records, ...noted].filter(({ status }) => status === 'completed');
  return {
    news,
    open: noted.filter(({ status }) => status !== 'completed'),
    over: new Set(over.map(jobKeyOf)),
    unknown: doubtful.filter((job) => !answered.has(jobKeyOf(job))),
    hidden,
  };
}

type SeenState = Pick<SeenJob, 'status' | 'conclusion' | 'runner'>;

/** @returns undefined when the answer does not say whether this attempt of the job is over */
async function askForJob(ci: CiSystem, job: JobRecord): Promise<SeenState | 'hidden' | undefined> {
  if (typeof job.jobId !== 'number') return undefined;
  try {
    return attemptOf(job, await ci.getJob(job.repository, job.jobId));
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
