import type { AgentSize } from '../agent/agent-size.ts';
import type { Join } from '../ci/join.ts';
import { ciLaunchId, type LaunchId } from '../launch/names.ts';
import type { LaunchRequest } from '../launch/plan-launch.ts';
import { jobKeyOf } from './job-id.ts';
import type { JobRecord } from './job-record.ts';
import { summarize } from './job-summary.ts';

/**
 * Makes the id of a job's next launch.
 *
 * @param launches how many launches the job's attempt has had, at most `mostReplacements`
 */
export function launchIdOfJob(
  { ciSystem, repositoryId, jobId, attempt }: Pick<JobRecord, 'ciSystem' | 'repositoryId' | 'jobId' | 'attempt'>,
  launches: number,
): LaunchId {
  const replacement = launches === 0 ? {} : { replacement: launches };
  return ciLaunchId({ ciSystem, repositoryId, jobId, attempt, ...replacement });
}

/** Builds the request for a launch of a job, whose agent has this size and joins its CI system in this way. */
export function launchRequestOf(
  job: JobRecord,
  launchId: LaunchId,
  { size, join }: { size?: AgentSize | undefined; join: Join | undefined },
): LaunchRequest {
  const joined = join === undefined ? {} : { join, jobKey: jobKeyOf(job) };
  return { launchId, sourceUrl: job.url, size, ...joined, job: summarize(job) };
}
