import type { JobStatus } from '../../core/job/job-record.ts';
import { present } from '../../core/present.ts';
import * as z from '../../core/zod.ts';
import type { CiJobState } from '../../ports/ci-system.ts';

/**
 * A job in Forgejo's lists, as `services/convert/action.go` (`ToActionRunJob`) writes it. Forgejo 15 leaves out the run.
 */
export const Job = z.object({
  id: z.int(),
  /** Counts from 1. */
  attempt: z.int(),
  /** Of one attempt of the job. Empty for a job that is older than Forgejo 15. */
  handle: z.string(),
  repo_id: z.int(),
  run_id: z.optional(z.int()),
  name: z.string(),
  runs_on: z.nullish(z.array(z.string())),
  status: z.string(),
});
export type Job = z.infer<typeof Job>;

/** A Go slice that is empty is null. */
export const Jobs = z.nullable(z.array(Job));

export const Repository = z.object({ full_name: z.string().check(z.regex(/^[^/]+\/[^/]+$/)) });

export const Run = z.object({ status: z.string() });

/**
 * A runner. `active` says that its agent reported on a job in the last 10 s, and `offline` that it asked for nothing for a
 * minute, or never did: `models/actions/runner.go`, `Status`.
 */
export const Runner = z.object({ id: z.int(), name: z.string(), status: z.string() });
export type Runner = z.infer<typeof Runner>;

export const Registered = z.object({ id: z.int(), uuid: z.string(), token: z.string() });

/** What each status of a job means: `models/actions/status.go`. */
const standings: Readonly<Record<string, { status: JobStatus; conclusion?: string }>> = {
  waiting: { status: 'queued' },
  running: { status: 'in_progress' },
  blocked: { status: 'waiting' },
  success: { status: 'completed', conclusion: 'success' },
  failure: { status: 'completed', conclusion: 'failure' },
  cancelled: { status: 'completed', conclusion: 'cancelled' },
  skipped: { status: 'completed', conclusion: 'skipped' },
};

/** Reads a status. A job in a status that davit does not know waits: nothing is done for it. */
export function standingOf(name: string): Pick<CiJobState, 'status' | 'conclusion'> {
  const { status, conclusion } = standings[name] ?? { status: 'waiting' as const };
  return { status, ...present({ conclusion }) };
}
