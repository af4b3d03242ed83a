import { RepositoryName } from '../ci/ci-scope.ts';
import { EpochMs } from '../epoch-ms.ts';
import { isLive, type LaunchRecord } from '../launch/launch-record.ts';
import * as z from '../zod.ts';
import { isEndedByItsJob } from './job-ending.ts';
import { jobKeyOf } from './job-id.ts';
import type { JobRecord } from './job-record.ts';

/** How long after the loss of its agent a job may run again. The CI system notices the loss within this time. */
export const lostJobMaxAgeMs = 24 * 3_600_000;

/** A job that lost its agent to infrastructure while it ran, and that its CI system should run again. */
export const LostJob = z.object({
  /** The CI system's configured name. */
  ciSystem: z.string().check(z.minLength(1)),
  /** By `jobKeyOf`. */
  jobKey: z.string().check(z.minLength(1)),
  repositoryId: z.union([z.int(), z.string()]),
  repository: RepositoryName,
  jobId: z.int(),
  runId: z.int(),
  /** The attempt that was lost; counts from 1. */
  attempt: z.int().check(z.gte(1)),
  name: z.string(),
  /** How its agent was lost, in the cluster's words. */
  reason: z.string(),
  lostAtEpochMs: EpochMs,
});
export type LostJob = z.infer<typeof LostJob>;

/** The outcome of a lost job: davit requested a re-run, needed none, or gave up after too long. */
export const LostJobOutcome = z.enum(['asked', 'unneeded', 'expired']);
export type LostJobOutcome = z.infer<typeof LostJobOutcome>;

/** The record of a lost job: one for each job of a run, by its name. */
export const LostJobRecord = z.object({
  lost: LostJob,
  /** The right of one reconcile to ask for it. It ends by itself, because its reconcile may have died. */
  claim: z.optional(z.object({ by: z.string(), untilEpochMs: EpochMs })),
  /** Absent while the job waits. */
  outcome: z.optional(LostJobOutcome),
  /** DynamoDB's TTL. */
  expiresAtEpochSeconds: z.int().check(z.positive()),
});
export type LostJobRecord = z.infer<typeof LostJobRecord>;

/** The fields that a lost job shares with its re-runs, whatever their ids: davit asks for only one re-run. */
export function lostJobKeyOf({ repositoryId, runId, name }: Pick<LostJob, 'repositoryId' | 'runId' | 'name'>): string {
  return [repositoryId, runId, name].map(encodeURIComponent).join('/');
}

/**
 * Finds out whether a job that its CI system still shows as running has lost its agent to infrastructure.
 *
 * @param launch the one whose agent runs the job
 * @param listedAtEpochMs when davit asked the CI system: a job that is listed after the loss did not end before it
 * @returns undefined for a job that is not lost, or that should not run again
 */
export function lostJobOf(job: JobRecord, launch: LaunchRecord, listedAtEpochMs: number): LostJob | undefined {
  const { ending } = launch;
  if (isLive(launch) || ending?.isLoss !== true || !runsAgain(launch)) return undefined;
  return ending.atEpochMs < listedAtEpochMs ? lostBy(job, ending.message, ending.atEpochMs) : undefined;
}

/**
 * Makes a lost job of one that failed while infrastructure was taking its agent: a runner that is told to stop fails its job.
 *
 * @param disruption what was taking the agent's Pod when the job failed, in the cluster's words
 * @returns undefined for a job that cannot run again
 */
export function disruptedJobOf(job: JobRecord, disruption: string, failedAtEpochMs: number): LostJob | undefined {
  return lostBy(job, `the job failed while its agent was taken: ${disruption}`, failedAtEpochMs);
}

/** Says whether the job that ended a launch should run again if infrastructure was taking its agent. */
export function mayBeDisrupted(launch: LaunchRecord): boolean {
  return isEndedByItsJob(launch) && runsAgain(launch);
}

function runsAgain({ plan }: LaunchRecord): boolean {
  return plan?.join?.rerunWhenLost === true;
}

function lostBy(job: JobRecord, reason: string, lostAtEpochMs: number): LostJob | undefined {
  const { ciSystem, repositoryId, repository, jobId, runId, attempt, name } = job;
  if (runId === undefined || typeof jobId !== 'number') return undefined;
  const jobKey = jobKeyOf(job);
  return { ciSystem, jobKey, repositoryId, repository, jobId, runId, attempt, name, reason, lostAtEpochMs };
}
