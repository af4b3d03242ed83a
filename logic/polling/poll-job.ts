import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { OpenJob } from '../../core/ci/poll-cursor.ts';
import { jobKeyOf } from '../../core/job/job-id.ts';
import { present } from '../../core/present.ts';
import type { FoundJob, NamedJob } from '../../ports/ci-system.ts';
import { handleState, isOwn } from './follow-job.ts';
import type { PollDeps } from './poll-deps.ts';
import { requestJob } from './request-job.ts';

/**
 * Asks the CI system for one job, which a webhook named, and handles its state as an event. Asks for nothing else, so that
 * a webhook costs one request however many projects there are. Stores no cursor: the next poll follows the job by davit's
 * records, and finds what this call could not do.
 *
 * @returns whether the job waits for an agent
 * @throws TransientError, TerminalError when the CI system or a table did not answer; the next poll asks again
 */
export async function pollJob(deps: PollDeps, system: CiSystemConfig, named: NamedJob): Promise<boolean> {
  const job = await deps.ciSystemOf(system.name).findJob?.(named);
  if (job === undefined || job.status === 'waiting') return false;
  if (job.status === 'queued') return (await requestJob(deps, system, asQueued(job))) !== undefined;
  const open = await knownOf(deps, system, job);
  const [record] = open === undefined ? [] : await deps.jobs.getMany([open.jobKey]);
  if (open === undefined || record === undefined) return false;
  const { attempt, status, runner, conclusion } = job;
  const state = { attempt, status, ...present({ runner, conclusion }) };
  await handleState(deps, system, { open, record, state });
  return false;
}

/**
 * Finds a job that no longer waits among those that davit knows. One that an agent of this davit took before davit knew of
 * it took the agent of another job, so it asks for an agent, too.
 */
async function knownOf(deps: PollDeps, system: CiSystemConfig, job: FoundJob): Promise<OpenJob | undefined> {
  const { name: ciSystem } = system;
  const jobKey = jobKeyOf({ ciSystem, repositoryId: job.repositoryId, jobId: job.id, attempt: job.attempt });
  const [record] = await deps.jobs.getMany([jobKey]);
  if (record !== undefined) return { jobKey, ...present({ runner: record.runner }) };
  const isTaken = job.status === 'in_progress' && job.runner !== undefined && isOwn(deps, job.runner);
  return isTaken ? requestJob(deps, system, asQueued(job)) : undefined;
}

function asQueued({ conclusion: _conclusion, ...job }: FoundJob) {
  return { ...job, status: 'queued' } as const;
}
