import { everyOwner } from '../../core/ci/ci-scope.ts';
import type { CiProvider } from '../../core/ci/ci-system-config.ts';
import type { JobAction, JobEvent } from '../../core/job/job-event.ts';
import { readLabels } from '../../core/job/job-labels.ts';
import { type JobRecord, longestJobText } from '../../core/job/job-record.ts';
import { present } from '../../core/present.ts';
import { shorten } from '../../core/well-formed.ts';
import type { CiJob, CiJobState } from '../../ports/ci-system.ts';

/**
 * Makes the event of a job that a CI system lists as queued.
 *
 * @returns undefined for a job with more or longer labels than davit stores: no agent of davit's can run it
 */
export function queuedEvent(provider: CiProvider, job: CiJob): JobEvent | undefined {
  const { repositoryId, repository, id, attempt, runId, url, queuedAtEpochMs: createdAtEpochMs } = job;
  const { labels } = readLabels(provider, job.labels);
  if (labels === undefined) return undefined;
  return {
    action: 'queued',
    repository: { id: repositoryId, ...repository },
    organization: everyOwner,
    job: { id, attempt, labels, name: shorten(job.name, longestJobText), url, ...present({ runId, createdAtEpochMs }) },
  };
}

/** Makes the event of a known job that has begun, or is over, from its record and the CI system's answer. */
export function laterEvent(
  action: Extract<JobAction, 'in_progress' | 'completed'>,
  record: JobRecord,
  { conclusion, runner = record.runner }: Pick<CiJobState, 'conclusion' | 'runner'>,
  atEpochMs: number,
): JobEvent {
  const { repositoryId, repository, organization, jobId: id, attempt, name, labels, url, runId } = record;
  const times =
    action === 'in_progress'
      ? { startedAtEpochMs: record.startedAtEpochMs ?? atEpochMs }
      : { startedAtEpochMs: record.startedAtEpochMs, completedAtEpochMs: atEpochMs };
  return {
    action,
    repository: { id: repositoryId, ...repository },
    ...present({ organization }),
    job: { id, attempt, name, labels, ...present({ url, runId, conclusion, runner, ...times }) },
  };
}
