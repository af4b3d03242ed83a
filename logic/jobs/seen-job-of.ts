import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { JobEvent } from '../../core/job/job-event.ts';
import { SeenJob } from '../../core/job/job-record.ts';

/**
 * Reads the job of an event. Gitea sends when the job was created, but a further attempt was queued later. For a queued
 * job, GitHub sends its creation as the start.
 */
export function seenJobOf(
  { name, provider }: Pick<CiSystemConfig, 'name' | 'provider'>,
  { action, repository, organization, job }: JobEvent,
): SeenJob {
  const { id, attempt, labels, createdAtEpochMs, startedAtEpochMs, ...said } = job;
  const hasStarted = action === 'in_progress' || action === 'completed';
  const isQueuedWhenCreated = provider === 'github' || attempt === 1;
  return SeenJob.parse({
    ...said,
    ciSystem: name,
    repositoryId: repository.id,
    jobId: id,
    attempt,
    status: action,
    repository: { owner: repository.owner, name: repository.name },
    organization,
    labels: [...labels],
    ...(isQueuedWhenCreated ? { queuedAtEpochMs: createdAtEpochMs } : {}),
    ...(hasStarted ? { startedAtEpochMs } : {}),
  });
}
