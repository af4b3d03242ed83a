import type { JobId } from '../../core/job/job-id.ts';
import type { SeenJob } from '../../core/job/job-record.ts';

/** When the tests' jobs were queued. */
export const queuedAtEpochMs = Date.parse('2026-11-22T12:00:00Z');

/** A queued job of the CI system `gitea`; `given` replaces fields. */
export function seenJob(given: Partial<SeenJob> = {}): SeenJob {
  return {
    ciSystem: 'gitea',
    repositoryId: 7,
    jobId: 8,
    attempt: 1,
    status: 'queued',
    repository: { owner: 'acme', name: 'app' },
    organization: 'acme',
    name: 'build',
    labels: ['linux'],
    queuedAtEpochMs,
    ...given,
  };
}

/** The id of that job. */
export function jobIdOf({ ciSystem, repositoryId, jobId, attempt }: JobId): JobId {
  return { ciSystem, repositoryId, jobId, attempt };
}
