import { isDeepStrictEqual } from 'node:util';
import { CiRunner, RepositoryName } from '../ci/ci-scope.ts';
import { EpochMs } from '../epoch-ms.ts';
import { LaunchId } from '../launch/names.ts';
import { present } from '../present.ts';
import { expiryOf } from '../retention.ts';
import * as z from '../zod.ts';
import { JobId } from './job-id.ts';

/**
 * The status of a job: it waits for another job or an approval, it can run, it runs, it is over. It only moves to the
 * right, however late an event arrives.
 */
export const JobStatus = z.enum(['waiting', 'queued', 'in_progress', 'completed']);
export type JobStatus = z.infer<typeof JobStatus>;

/** Says whether a job waits to run: for an agent, for another job, or for an approval. */
export function isWaiting({ status }: { status: JobStatus }): boolean {
  return status === 'waiting' || status === 'queued';
}

/** The longest text that davit stores of a job, in characters: its author chooses how long its names are. */
export const longestJobText = 256;

/** One attempt to run a job, as an event or the CI system's own list describes it. */
export const SeenJob = z.extend(JobId, {
  status: JobStatus,
  /** Both names are `-` for a sender that names no repository. */
  repository: RepositoryName,
  /** The organization that owns the repository; absent for a repository of a user. */
  organization: z.optional(z.string()),
  name: z.string(),
  /** The name of the workflow. */
  workflow: z.optional(z.string()),
  runId: z.optional(z.int()),
  /** The commit that the job builds. */
  sha: z.optional(z.string()),
  /** Where people see the job: an http: or https: URL. */
  url: z.optional(z.string()),
  labels: z.array(z.string()),
  conclusion: z.optional(z.string()),
  /** The runner that runs or ran it; absent before any runner does. */
  runner: z.optional(CiRunner),
  /** Absent where only the time of an earlier attempt is known. */
  queuedAtEpochMs: z.optional(EpochMs),
  startedAtEpochMs: z.optional(EpochMs),
  completedAtEpochMs: z.optional(EpochMs),
});
export type SeenJob = z.infer<typeof SeenJob>;

/** The same as a CI system's event or list has it, with as many labels and as long texts as its author chose: see `seenJobOf`. */
export type ReadJob = Omit<SeenJob, 'ciSystem'>;

/** The one record of a job's attempt, in the jobs table. */
export const JobRecord = z.extend(SeenJob, {
  /** How many launches davit requested for this job: 0, 1, and one more for each replacement. */
  launches: z.int().check(z.gte(0)),
  /** The latest of those launches, and when davit requested it. */
  lastLaunch: z.optional(z.object({ launchId: LaunchId, atEpochMs: EpochMs })),
  /** The launch whose agent runs or ran the job. */
  ranBy: z.optional(LaunchId),
  /** Why davit requested no agent, for people. */
  notLaunched: z.optional(z.string()),
  /** The limit for whose slot the job waits, by its key; davit launches when it gets one. */
  limitedBy: z.optional(z.string()),
  /** DynamoDB's TTL. */
  expiresAtEpochSeconds: z.int().check(z.positive()),
});
export type JobRecord = z.infer<typeof JobRecord>;

/**
 * Merges a seen job into its record. The status only moves to the right, and a known field stays unless the event has a
 * newer value. So events may come twice, late and in any order.
 *
 * @returns the known record itself when nothing is news
 */
export function mergeJob(known: JobRecord | undefined, seen: SeenJob, nowEpochMs: number): JobRecord {
  // A job is remembered for as long as a launch.
  if (known === undefined) return { ...seen, launches: 0, expiresAtEpochSeconds: expiryOf(nowEpochMs) };
  // A field that an event lacks does not hide the known one: undefined fields are dropped before the merge.
  const isLater = JobStatus.options.indexOf(seen.status) >= JobStatus.options.indexOf(known.status);
  const [older, newer] = isLater ? [known, seen] : [seen, known];
  const merged = { ...older, ...present(newer), ...keptOf(known) };
  return isDeepStrictEqual(merged, known) ? known : merged;
}

/** Picks the fields that no event changes. */
function keptOf({ launches, lastLaunch, ranBy, notLaunched, limitedBy, expiresAtEpochSeconds }: JobRecord) {
  return present({ launches, lastLaunch, ranBy, notLaunched, limitedBy, expiresAtEpochSeconds });
}
