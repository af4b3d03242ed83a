import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { ReadJob } from '../../core/job/job-record.ts';
import { present } from '../../core/present.ts';
import type { NamedJob } from '../../ports/ci-system.ts';
import { handleState, isOwn, type JobNow } from './follow-job.ts';
import type { PollDeps } from './poll-deps.ts';
import { keyOf, requestJob } from './request-job.ts';

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
  if (job.status === 'queued') return (await requestJob(deps, system, job)) !== undefined;
  const known = await knownOf(deps, system, job);
  if (known === undefined) return false;
  await handleState(deps, system, { ...known, state: job });
  return false;
}

type KnownJob = Pick<JobNow, 'open' | 'record'>;

/**
 * Finds a job that no longer waits among those that davit knows. One that an agent of this davit took before davit knew of
 * it took the agent of another job, so it asks for an agent, too.
 */
async function knownOf(deps: PollDeps, system: CiSystemConfig, job: ReadJob): Promise<KnownJob | undefined> {
  const jobKey = keyOf(system, job);
  const [record] = await deps.jobs.getMany([jobKey]);
  if (record !== undefined) return { open: { jobKey, ...present({ runner: record.runner }) }, record };
  if (job.status !== 'in_progress' || job.runner === undefined || !isOwn(deps, job.runner)) return undefined;
  const open = await requestJob(deps, system, job);
  const [made] = open === undefined ? [] : await deps.jobs.getMany([open.jobKey]);
  return open && made && { open, record: made };
}
