import { jobKeyOf } from '../../core/job/job-id.ts';
import { type JobRecord, mergeJob, type SeenJob } from '../../core/job/job-record.ts';
import { summarize } from '../../core/job/job-summary.ts';
import type { BoundJob, LaunchRecord } from '../../core/launch/launch-record.ts';
import { launchIdOfAgent } from '../../core/launch/names.ts';
import { agentNameOfRunner } from '../../core/launch/runner-names.ts';
import type { Jobs } from '../../ports/jobs.ts';
import type { Registrations } from '../../ports/registrations.ts';

interface BindJobDeps {
  jobs: Pick<Jobs, 'noteRanBy'>;
  registrations: Pick<Registrations, 'bind'>;
  /** The prefix of the names of all runners of this davit, see `runnerPrefixOf`. */
  installationId: string;
  nowEpochMs: () => number;
}

/**
 * Finds the launch whose agent runs or ran the job, and links both records. Compares the runner's name and also its CI
 * system, scope and id in the launch's record, because any user of the CI system can give a runner any name.
 *
 * @param job with all known fields: the launch's record shows them to people
 * @returns undefined for a job that does not run on an agent of this davit
 * @throws TransientError StoreUnavailable
 */
export async function bindJob(deps: BindJobDeps, job: JobRecord): Promise<LaunchRecord | undefined> {
  const { runner } = job;
  const agentName = runner && agentNameOfRunner(deps.installationId, runner.name);
  if (runner === undefined || agentName === undefined) return undefined;
  const launchId = launchIdOfAgent(agentName);
  const now = deps.nowEpochMs();
  const bound = boundJobOf(job, now);
  const launch = await deps.registrations.bind(launchId, { ...job, id: runner.id }, bound, now);
  if (launch?.runs?.jobKey !== bound.jobKey) return undefined;
  await deps.jobs.noteRanBy(job, launchId);
  return launch;
}

/** A job as it is noted, and the launch that it was bound to before. */
export interface NotedJob {
  record: JobRecord;
  launch: LaunchRecord | undefined;
}

/**
 * Notes what was seen of a job, and binds it before. Reconciling asks for a job while its record says that it is queued, or
 * while a launch is bound to it. So if the caller dies in between, or a table does not answer, another round finds it.
 *
 *     note: it is over ──► dies     no list has the job, and nobody asks for it: its agent seems to have run nothing
 *     bind ──► dies                 its record says that it is queued: reconciling asks for it, and notes its end
 *
 * A job without a record that runs on an agent of this davit is noted as queued first: nobody asks for a launch's job that
 * has no record.
 *
 * @param known its record
 * @throws TransientError StoreUnavailable
 */
export async function noteBound(
  deps: BindJobDeps & { jobs: Pick<Jobs, 'note'> },
  known: JobRecord | undefined,
  seen: SeenJob,
): Promise<NotedJob> {
  const now = deps.nowEpochMs();
  const { runner } = seen;
  const isOurs = runner !== undefined && agentNameOfRunner(deps.installationId, runner.name) !== undefined;
  const before = known ?? (isOurs ? await deps.jobs.note(asQueued(seen), now) : undefined);
  const isUnbound = before !== undefined && before.ranBy === undefined;
  const launch = isUnbound ? await bindJob(deps, mergeJob(before, seen, now)) : undefined;
  return { record: await deps.jobs.note(seen, now), launch };
}

/** The job as it was before its runner had it. */
function asQueued(seen: SeenJob): SeenJob {
  const { runner: _runner, startedAtEpochMs: _started, completedAtEpochMs: _completed, conclusion: _, ...job } = seen;
  return { ...job, status: 'queued' };
}

/** Describes a job as the record of the launch that runs it has it. */
export function boundJobOf(job: JobRecord, nowEpochMs: number): BoundJob {
  const { status, url, conclusion, completedAtEpochMs: atEpochMs = nowEpochMs } = job;
  return {
    jobKey: jobKeyOf(job),
    job: summarize(job),
    ...(url === undefined ? {} : { url }),
    ...(status === 'completed' ? { end: { ...(conclusion === undefined ? {} : { conclusion }), atEpochMs } } : {}),
  };
}
