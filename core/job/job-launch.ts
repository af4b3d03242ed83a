import type { AgentSize } from '../agent/agent-size.ts';
import type { Join } from '../ci/join.ts';
import type { LaunchId } from '../launch/names.ts';
import type { LaunchRequest } from '../launch/plan-launch.ts';
import { jobKeyOf } from './job-id.ts';
import type { SeenJob } from './job-record.ts';
import { summarize } from './job-summary.ts';

/** Builds the request for a launch of a job, whose agent has this size and joins its CI system in this way. */
export function launchRequestOf(
  job: SeenJob,
  launchId: LaunchId,
  { size, join }: { size?: AgentSize | undefined; join: Join | undefined },
): LaunchRequest {
  const joined = join === undefined ? {} : { join, jobKey: jobKeyOf(job) };
  return { launchId, sourceUrl: job.url, size, ...joined, job: summarize(job) };
}
