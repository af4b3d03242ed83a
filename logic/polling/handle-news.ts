import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import { scaleSetOf } from '../../core/ci/ci-systems.ts';
import { haveSameLabels } from '../../core/ci/same-labels.ts';
import { DavitError } from '../../core/errors/errors.ts';
import type { ReadJob, SeenJob } from '../../core/job/job-record.ts';
import { matchProfile } from '../../core/job/match-profile.ts';
import { seenJobOf } from '../../core/job/seen-job.ts';
import { present } from '../../core/present.ts';
import type { JobNews, QueueMessage } from '../../ports/job-queue.ts';
import { handleRegisteredJob } from '../jobs/handle-registered-job.ts';
import { isOwn } from './follow-job.ts';
import type { PollDeps } from './poll-deps.ts';

/**
 * Handles the news of a message. Each names its job by the run and the job's name, so davit asks for the run's jobs, and
 * what those say counts: a message may be late, come again, or say that a job is completed of which only the assignment
 * ended.
 *
 * @returns how many jobs ask for an agent, and what could not be handled for good: reconciling finds those jobs
 * @throws TransientError when a service did not answer
 */
export async function handleNews(
  deps: PollDeps,
  system: CiSystemConfig,
  { news, isCut }: QueueMessage,
): Promise<{ queued: number; errors: string[] }> {
  const outcome = { queued: 0, errors: [] as string[] };
  for (const [, ofRun] of Map.groupBy(news, ({ repository, runId }) => JSON.stringify([repository, runId]))) {
    const [first] = ofRun;
    if (first === undefined) continue;
    const run = `${system.name}: run ${first.runId} of ${first.repository.owner}/${first.repository.name}`;
    try {
      const jobs = (await deps.ciSystemOf(system.name).jobsOfRun?.(first.repository, first.runId)) ?? [];
      for (const each of ofRun) {
        if (await isPast(deps, system, each, jobs)) continue;
        const meant = jobsOf(each, jobs);
        if (meant.length === 0) outcome.errors.push(`${run}: no job of it is the ${each.kind} job ${each.name}`);
        for (const job of meant) await handleJob(deps, system, each, job, outcome);
      }
      // The message had no room for all of them.
      for (const job of isCut ? queuedFor(deps, system, jobs) : []) {
        await handleJob(deps, system, { ...first, kind: 'assigned' }, job, outcome);
      }
    } catch (error) {
      // A refusal stays one. Its jobs must not keep all others waiting.
      if (!(error instanceof DavitError && error.code === 'CiRefused')) throw error;
      outcome.errors.push(`${run}: ${error.message}`);
    }
  }
  return outcome;
}

/**
 * Says whether news of a runner are of an assignment that is over. Its job may have gone back to the queue, and a later
 * attempt has the same run and the same name: neither has begun or is over.
 *
 *     message   started on 7   completed on 7                      read: the list has no job of runner 7
 *     run       job 1 on 7 ──► over, 7 is gone ──► job 2 of the same name: queued
 */
async function isPast(
  deps: PollDeps,
  system: CiSystemConfig,
  news: JobNews,
  jobs: readonly ReadJob[],
): Promise<boolean> {
  const { runner, kind } = news;
  if (runner === undefined || jobs.some((job) => job.runner?.name === runner.name)) return false;
  return kind === 'completed' || hasLostRunner(deps, system, news);
}

/**
 * Finds the job of a piece of news: that of its runner, or else those of its name. A run may have several jobs of one name,
 * each of which needs an agent if it is queued. A name may be another one than in the list, so the labels decide last.
 */
function jobsOf({ kind, name, labels, runner }: JobNews, jobs: readonly ReadJob[]): ReadJob[] {
  const ran = jobs.filter((job) => runner !== undefined && job.runner?.name === runner.name);
  if (ran.length > 0) return ran;
  const named = jobs.filter((job) => job.name === name && (runner === undefined || job.runner === undefined));
  // The list does not show the runner yet. Only one job can be meant.
  if (runner !== undefined) return named.length === 1 ? named : [];
  if (named.length > 0 || kind !== 'assigned') return named;
  return jobs.filter((job) => job.status === 'queued' && haveSameLabels(job.labels, labels));
}

function queuedFor(deps: PollDeps, system: CiSystemConfig, jobs: readonly ReadJob[]): ReadJob[] {
  return jobs.filter(
    (job) => job.status === 'queued' && matchProfile(deps.profiles, system, job).profile !== undefined,
  );
}

/** Handles one job as an event that a webhook would have told. */
async function handleJob(
  deps: PollDeps,
  system: CiSystemConfig,
  news: JobNews,
  job: ReadJob,
  outcome: { queued: number; errors: string[] },
): Promise<void> {
  const { conclusion, runner: listed, status, ...listedJob } = job;
  const { organization } = scaleSetOf(system) ?? {};
  const { job: queued, reason } = seenJobOf(system, { ...listedJob, status: 'queued', organization });
  if (queued === undefined) {
    outcome.errors.push(`${system.name}: job ${job.jobId}: ${reason}`);
    return;
  }
  const now = deps.nowEpochMs();
  // A launch's record has the id that the registration got, and the message has it too.
  const runner = news.runner ?? listed;
  const handle = (seen: SeenJob) => handleRegisteredJob(deps, system, { ...seen, ...present({ runner }) });
  if (status === 'completed' || (news.kind === 'completed' && (await hasLostRunner(deps, system, news)))) {
    await handle({ ...queued, status: 'completed', completedAtEpochMs: now, ...present({ conclusion }) });
    return;
  }
  if (news.kind === 'assigned') {
    // The job waits now, however long ago it was queued. One that runs already has another job's agent: it asks, too.
    await handleRegisteredJob(deps, system, queued, job.queuedAtEpochMs);
    outcome.queued += 1;
  }
  if (status === 'in_progress' || news.kind === 'started') {
    await handle({ ...queued, status: 'in_progress', startedAtEpochMs: now });
  }
}

/**
 * Says whether the runner of a job that a message calls completed is gone, which it is after its one job. The message alone
 * ends no agent: it also tells of assignments that ended.
 */
async function hasLostRunner(
  deps: PollDeps,
  system: CiSystemConfig,
  { runner, repository }: JobNews,
): Promise<boolean> {
  if (runner === undefined || !isOwn(deps, runner)) return false;
  const scope = { repository };
  return (await deps.ciSystemOf(system.name).getRunner?.(scope, runner.id)) === undefined;
}
