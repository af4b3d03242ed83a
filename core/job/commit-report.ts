import { RepositoryName } from '../ci/ci-scope.ts';
import { EpochMs } from '../epoch-ms.ts';
import { errorCodes, isErrorCode } from '../errors/error-codes.ts';
import { isLive, type LaunchRecord } from '../launch/launch-record.ts';
import * as z from '../zod.ts';
import { jobKeyOf } from './job-id.ts';
import type { JobRecord } from './job-record.ts';
import { mostFailures, type Tries, triesOf } from './job-tries.ts';

/** The most characters of a status's description, in GitHub. */
const mostDescription = 140;

/** The most characters of its context. */
const mostContext = 200;

/** A commit status about a job that waits for an agent. It is never a failure. */
export const CommitReport = z.object({
  /** The CI system's configured name. */
  ciSystem: z.string().check(z.minLength(1)),
  /** The job, by `jobKeyOf`. */
  jobKey: z.string().check(z.minLength(1)),
  repository: RepositoryName,
  sha: z.string().check(z.minLength(1)),
  /** Distinguishes the statuses of a commit: one for each job by its name. */
  context: z.string().check(z.minLength(1), z.maxLength(mostContext)),
  state: z.enum(['pending', 'success']),
  description: z.string().check(z.maxLength(mostDescription)),
  /** Where people see the job. */
  targetUrl: z.optional(z.string()),
  /** When davit found this; the later report counts. */
  atEpochMs: EpochMs,
});
export type CommitReport = z.infer<typeof CommitReport>;

/**
 * Reports why a queued job has no agent yet, once it has waited long, its last launch has failed, or it has no tries
 * left. The text changes only when the reason changes.
 *
 * @param latest the latest launches for this job, as `latestLaunchesOf` names them
 * @returns undefined when there is nothing to report, or no commit to report it on
 */
export function waitingReport(
  job: JobRecord,
  latest: readonly LaunchRecord[],
  tellAfterSeconds: number,
  nowEpochMs: number,
): CommitReport | undefined {
  const launch = latest.at(-1);
  const tries = triesOf(latest, nowEpochMs);
  const { ciSystem, repository, sha, url: targetUrl } = job;
  const { queuedAtEpochMs = job.lastLaunch?.atEpochMs ?? nowEpochMs } = job;
  const waitsForLong = nowEpochMs - queuedAtEpochMs >= tellAfterSeconds * 1000;
  const isTold = waitsForLong || launch?.ending?.outcome === 'failed' || tries.failures === mostFailures;
  if (sha === undefined || !isTold) return undefined;
  return {
    ciSystem,
    jobKey: jobKeyOf(job),
    repository,
    sha,
    context: cut(['davit', job.workflow, job.name].filter(Boolean).join(' / '), mostContext),
    state: 'pending',
    description: cut(wordsOf(job, launch, tries), mostDescription),
    ...(targetUrl === undefined ? {} : { targetUrl }),
    atEpochMs: nowEpochMs,
  };
}

/** Withdraws the report on a job that no longer waits. */
export function settledReport(told: CommitReport, isRunning: boolean, nowEpochMs: number): CommitReport {
  const description = isRunning ? 'an agent runs the job' : 'the job no longer waits for an agent';
  return { ...told, state: 'success', description, atEpochMs: nowEpochMs };
}

/** The cluster's words, then as much of the advice as there is room for. */
function wordsOf({ notLaunched }: JobRecord, launch: LaunchRecord | undefined, { failures, latest }: Tries): string {
  if (failures === mostFailures) {
    return `${failures} launches failed, davit tries again each 15 minutes. ${latest?.ending?.message ?? ''}`;
  }
  if (launch === undefined) return notLaunched ?? 'no agent was launched yet';
  const { ending, signal, status } = launch;
  if (ending?.outcome === 'failed') return [ending.message, adviceOf(ending.code)].filter(Boolean).join('. ');
  if (!isLive(launch)) return notLaunched ?? 'its agent is gone, and davit will launch another one';
  if (signal !== undefined)
    return [`${signal.code}: ${signal.detail}`, adviceOf(signal.code)].filter(Boolean).join('. ');
  return status === 'connected' ? 'its agent is connected and has got no job yet' : 'its agent is being launched';
}

function adviceOf(code: string): string {
  return isErrorCode(code) ? errorCodes[code].advice : '';
}

function cut(text: string, mostCharacters: number): string {
  return text.length <= mostCharacters ? text.toWellFormed() : `${text.slice(0, mostCharacters - 1).toWellFormed()}…`;
}
