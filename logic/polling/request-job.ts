import { everyOwner } from '../../core/ci/ci-scope.ts';
import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { OpenJob } from '../../core/ci/poll-cursor.ts';
import { jobKeyOf } from '../../core/job/job-id.ts';
import type { CiJob, CiJobId } from '../../ports/ci-system.ts';
import { handleRegisteredJob } from '../jobs/handle-registered-job.ts';
import { readListedJob } from '../jobs/read-listed-job.ts';
import type { PollDeps } from './poll-deps.ts';

/**
 * Asks for an agent for a job that a poll has listed.
 *
 * @returns the job as the next poll follows it; undefined for one with more labels than davit stores
 * @throws TransientError when a table did not answer; the next poll asks again
 */
export async function requestJob(
  deps: PollDeps,
  system: CiSystemConfig,
  job: CiJob<CiJobId>,
): Promise<OpenJob | undefined> {
  const seen = readListedJob(system, job, everyOwner);
  if (seen === undefined) return undefined;
  // A listed job waits now, however long ago it was queued: its event is never late. One that runs already asks, too.
  await handleRegisteredJob(deps, system, { ...seen, status: 'queued' }, job.queuedAtEpochMs);
  return { jobKey: jobKeyOf(seen) };
}

/** The key of a job that a poll has listed. */
export function keyOf(
  { name: ciSystem }: CiSystemConfig,
  { id: jobId, repositoryId, attempt }: CiJob<CiJobId>,
): string {
  return jobKeyOf({ ciSystem, repositoryId, jobId, attempt });
}
