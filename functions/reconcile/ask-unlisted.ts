import { TerminalError } from '../../core/errors/errors.ts';
import { jobKeyOf } from '../../core/job/job-id.ts';
import type { JobRecord, SeenJob } from '../../core/job/job-record.ts';
import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import { noteBound } from '../../logic/lifecycle/bind-job.ts';
import type { CiJobState, CiSystem } from '../../ports/ci-system.ts';
import type { WaitingJob } from '../../ports/jobs.ts';
import { atATime, writesAtATime } from './at-a-time.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import { inTurns } from './turns.ts';
import type { RoundDeps } from './waiting-list.ts';

/** What the CI system says of the jobs that its lists lack and that are not over by their records. */
export interface AskedJobs {
  /** Those that are not over. */
  open: JobRecord[];
  /** The keys of those that are over. */
  over: ReadonlySet<string>;
  /** Those of which davit knows nothing yet: it has not asked, got no answer, or the system hides their repository. */
  unknown: JobRecord[];
  /** Those of the unknown ones whose repository the system hides. */
  hidden: JobRecord[];
}

/** What davit has read before it asks. */
export interface UnlistedQuestion {
  listed: readonly SeenJob[];
  /** The jobs that wait to run, read before the lists: one that is queued later is in neither. */
  waiting: readonly WaitingJob[];
  /** The live launches of the CI system. */
  live: readonly LaunchRecord[];
  isShown: (job: JobRecord) => boolean;
}

/**
 * Asks, by their ids, for jobs that the CI system does not list, though by their records they wait or run on an agent.
 * A list lacks a job that is there when another one goes while its pages are read, and when its repository has been
 * quiet for a day. Writes each answer into the job's record.
 *
 * @throws TransientError StoreUnavailable
 */
export async function askUnlisted(
  deps: RoundDeps,
  run: ReconcileRun,
  ci: CiSystem,
  { listed, waiting, live, isShown }: UnlistedQuestion,
): Promise<AskedJobs> {
  const isListed = new Set(listed.map(jobKeyOf));
  const running = live.flatMap(({ runs }) => runs?.jobKey ?? []);
  const keys = [...waiting.map(({ jobKey }) => jobKey), ...running].filter((key) => !isListed.has(key));
  const records = keys.length === 0 ? [] : await deps.jobs.getMany(keys);
  const doubtful = records.filter(({ status }) => status === 'queued' || status === 'in_progress');
  const over = new Set(records.filter(({ status }) => status === 'completed').map(jobKeyOf));
  const [open, hidden, answered]: [JobRecord[], JobRecord[], Set<string>] = [[], [], new Set()];
  await atATime(writesAtATime, inTurns(doubtful.filter(isShown), deps.nowEpochMs()), async (job) => {
    if (!run.mayBegin()) return;
    const key = jobKeyOf(job);
    await run.attempt(`job ${key}`, async () => {
      const state = await stateOf(ci, job);
      if (state === 'hidden') hidden.push(job);
      else if (state !== undefined) {
        const record = await noteState(deps, run, job, state);
        answered.add(key);
        if (record.status === 'completed') over.add(key);
        else open.push(record);
      }
    });
  });
  return { open, over, unknown: doubtful.filter((job) => !answered.has(jobKeyOf(job))), hidden };
}

type SeenState = Pick<SeenJob, 'status' | 'conclusion' | 'runner'>;

/** @returns undefined when the answer does not say whether this attempt of the job is over */
async function stateOf(ci: CiSystem, job: JobRecord): Promise<SeenState | 'hidden' | undefined> {
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

async function noteState(deps: RoundDeps, run: ReconcileRun, job: JobRecord, state: SeenState): Promise<JobRecord> {
  const { launches: _launches, lastLaunch: _last, ranBy: _ranBy, notLaunched: _why, limitedBy, ...seen } = job;
  const { record } = await noteBound(deps, job, { ...seen, ...state });
  if (record.status === 'completed' && limitedBy !== undefined) {
    const reason = 'its CI system says that it is over';
    deps.waiting.hasChanged();
    run.repair({ ciSystem: job.ciSystem, repair: 'CompletionMissed', subject: jobKeyOf(job), reason });
  }
  return record;
}
