import type { CiRunner } from '../../core/ci/ci-scope.ts';
import * as z from '../../core/zod.ts';
import type { CiJobState, CiJobStatus } from '../../ports/ci-system.ts';

/** A group or a project. */
export const Place = z.object({ id: z.int() });

/** A webhook of a group or a project. */
export const Hook = z.object({
  id: z.int(),
  url: z.string(),
  job_events: z.nullish(z.boolean()),
  /** `executable`, unless GitLab has disabled it after failed deliveries. */
  alert_status: z.nullish(z.string()),
  custom_webhook_template: z.nullish(z.string()),
  /** Whether it has a secret token; absent before 19.0. */
  token_present: z.nullish(z.boolean()),
  /** Whether it signs; absent before 19.0. */
  signing_token_present: z.nullish(z.boolean()),
});
export type Hook = z.infer<typeof Hook>;

/** A project of a group. */
export const Project = z.object({ id: z.int() });

const JobRunner = z.object({ id: z.int(), description: z.nullish(z.string()) });

/** A job. @see https://docs.gitlab.com/api/jobs/ */
export const Job = z.object({
  id: z.int(),
  name: z.string(),
  status: z.string(),
  created_at: z.string(),
  started_at: z.nullish(z.string()),
  /** How long it has waited for a runner, or did, in seconds; absent before it does. */
  queued_duration: z.nullish(z.number()),
  pipeline: z.object({ id: z.int(), project_id: z.int(), sha: z.string() }),
  web_url: z.string(),
  runner: z.nullish(JobRunner),
  tag_list: z.array(z.string()),
});
export type Job = z.infer<typeof Job>;

/** A job in a runner's list of jobs. */
export const RunnerJob = z.object({ id: z.int(), status: z.string(), project: z.object({ id: z.int() }) });

/** A job in a pipeline's list of jobs. */
export const PipelineJob = z.object({ id: z.int(), name: z.string(), status: z.string() });
export type PipelineJob = z.infer<typeof PipelineJob>;

/** A runner in a list. */
export const Runner = z.object({
  id: z.int(),
  description: z.nullish(z.string()),
  /** Whether it runs a job; absent in older versions. */
  job_execution_status: z.nullish(z.string()),
});
export type Runner = z.infer<typeof Runner>;

/** A runner that was asked for by its id. */
export const RunnerDetails = z.object({
  id: z.int(),
  description: z.nullish(z.string()),
  /** Whether it gets no jobs. */
  paused: z.boolean(),
  maintenance_note: z.nullish(z.string()),
});
export type RunnerDetails = z.infer<typeof RunnerDetails>;

/** A new runner. */
export const NewRunner = z.object({ id: z.int(), token: z.string().check(z.minLength(1)) });

const statuses: Readonly<Record<string, CiJobStatus>> = {
  pending: 'queued',
  running: 'in_progress',
  // Its runner still runs the part that a cancelled job has.
  canceling: 'in_progress',
};

const conclusions: Readonly<Record<string, string>> = {
  success: 'success',
  failed: 'failure',
  canceled: 'cancelled',
  skipped: 'skipped',
};

/** Says whether a job is over, by its status in GitLab. An unknown status does not say so. */
export function isOver(status: string): boolean {
  return Object.hasOwn(conclusions, status);
}

/** Reads the state of a job. A job has one attempt: to retry one makes another job. */
export function stateOf({ status, runner }: Pick<Job, 'status' | 'runner'>): CiJobState {
  const conclusion = isOver(status) ? conclusions[status] : undefined;
  return {
    attempt: 1,
    status: conclusion === undefined ? (statuses[status] ?? 'waiting') : 'completed',
    ...(conclusion === undefined ? {} : { conclusion }),
    ...(runner ? { runner: runnerOf(runner) } : {}),
  };
}

/**
 * Reads when a job began to wait for a runner. A job of a later stage was made long before, with its pipeline. GitLab says
 * how long a job waits, until now or until it started; to the second, so that two answers mostly say the same.
 */
export function queuedAtOf({ created_at: createdAt, started_at: startedAt, ...job }: Job, nowEpochMs: number): number {
  const { queued_duration: waitedSeconds } = job;
  if (typeof waitedSeconds !== 'number') return Date.parse(createdAt);
  const endEpochMs = startedAt ? Date.parse(startedAt) : nowEpochMs;
  return Math.floor((endEpochMs - waitedSeconds * 1000) / 1000) * 1000;
}

/** Reads a runner. Its description has its name. */
export function runnerOf({ id, description }: z.infer<typeof JobRunner>): CiRunner {
  return { id, name: description ?? '' };
}
