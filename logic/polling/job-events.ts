import { everyOwner } from '../../core/ci/ci-scope.ts';
import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import { readLabels } from '../../core/job/job-labels.ts';
import { type JobRecord, longestJobText, SeenJob } from '../../core/job/job-record.ts';
import { present } from '../../core/present.ts';
import { shorten } from '../../core/well-formed.ts';
import type { CiJob, CiJobState } from '../../ports/ci-system.ts';

/**
 * Makes the event of a job that a CI system lists as queued.
 *
 * @returns undefined for a job with more or longer labels than davit stores: no agent of davit's can run it
 */
export function queuedEvent({ name: ciSystem, provider }: CiSystemConfig, job: CiJob): SeenJob | undefined {
  const { repositoryId, repository, id: jobId, attempt, runId, url, queuedAtEpochMs } = job;
  const { labels } = readLabels(provider, job.labels);
  if (labels === undefined) return undefined;
  return {
    ciSystem,
    repositoryId,
    jobId,
    attempt,
    status: 'queued',
    repository,
    organization: everyOwner,
    name: shorten(job.name, longestJobText),
    labels,
    url,
    ...present({ runId, queuedAtEpochMs }),
  };
}

/** Makes the event of a known job that has begun, or is over, from its record and the CI system's answer. */
export function laterEvent(
  status: 'in_progress' | 'completed',
  record: JobRecord,
  { conclusion, runner = record.runner }: Pick<CiJobState, 'conclusion' | 'runner'>,
  atEpochMs: number,
): SeenJob {
  const times =
    status === 'in_progress'
      ? { startedAtEpochMs: record.startedAtEpochMs ?? atEpochMs }
      : { completedAtEpochMs: atEpochMs };
  return { ...SeenJob.parse(record), status, ...present({ conclusion, runner }), ...times };
}
