import type { JobStatus } from '../../core/job/job-record.ts';
import { present } from '../../core/present.ts';
import * as z from '../../core/zod.ts';
import type { CiJobState } from '../../ports/ci-system.ts';

/** A job that waits in a queue. A nested object is there even where its values are null. */
export const ScheduledJob = z.object({
  /** A UUID. */
  id: z.string().check(z.minLength(1)),
  agent_query_rules: z.array(z.string()),
  scheduled_at: z.string(),
  pipeline: z.object({ slug: z.string(), uuid: z.string() }),
  build: z.object({ number: z.int(), uuid: z.nullish(z.string()) }),
  step: z.optional(z.object({ key: z.nullish(z.string()) })),
});
export type ScheduledJob = z.infer<typeof ScheduledJob>;

/** A page of a queue, oldest jobs first. */
export const ScheduledJobs = z.object({
  jobs: z.array(ScheduledJob),
  page_info: z.object({ has_next_page: z.boolean(), end_cursor: z.nullish(z.string()) }),
  /** Its documentation and its own client name the pause differently. */
  cluster_queue: z.object({ dispatch_paused: z.nullish(z.boolean()), paused: z.nullish(z.boolean()) }),
});

export const JobStates = z.object({ states: z.record(z.string(), z.string()) });

export const AcquisitionTokens = z.object({
  job_acquisition_tokens: z.array(z.object({ job_uuid: z.string(), job_acquisition_token: z.string() })),
});

/**
 * What each state of a job means. An agent has an assigned job, and may still stop a job that is being cancelled.
 *
 * @see https://buildkite.com/docs/pipelines/configure/defining-steps#job-states
 */
const standings: Readonly<Record<string, { status: JobStatus; conclusion?: string }>> = {
  scheduled: { status: 'queued' },
  reserved: { status: 'queued' },
  assigned: { status: 'in_progress' },
  accepted: { status: 'in_progress' },
  running: { status: 'in_progress' },
  canceling: { status: 'in_progress' },
  timing_out: { status: 'in_progress' },
  finished: { status: 'completed' },
  canceled: { status: 'completed', conclusion: 'cancelled' },
  timed_out: { status: 'completed', conclusion: 'timed_out' },
  skipped: { status: 'completed', conclusion: 'skipped' },
  broken: { status: 'completed', conclusion: 'skipped' },
  expired: { status: 'completed', conclusion: 'cancelled' },
  waiting_failed: { status: 'completed', conclusion: 'skipped' },
  blocked_failed: { status: 'completed', conclusion: 'skipped' },
  unblocked_failed: { status: 'completed', conclusion: 'skipped' },
};

/**
 * Reads a job's state. A job in a state that davit does not know waits: nothing is done for it.
 *
 * @returns a state without a runner: Buildkite does not say which agent has a job
 */
export function stateNamed(name: string): CiJobState {
  const { status, conclusion } = standings[name] ?? { status: 'waiting' as const };
  return { attempt: 1, status, ...present({ conclusion }) };
}
