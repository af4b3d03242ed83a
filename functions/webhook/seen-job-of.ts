import type { CiSystemConfig } from '../domain/ci-system-config.ts';
import type { JobEvent } from '../domain/job-event.ts';
import { SeenJob } from '../domain/job-record.ts';

/**
 * Reads what an event says about its job. Gitea says when the job was created, which for a further attempt is not when it
 * was queued.
 *
 * @throws ZodError for ids that are no numbers, which only systems have that davit does not act in
 */
export function seenJobOf(
  { name, provider }: Pick<CiSystemConfig, 'name' | 'provider'>,
  { action, repository, organization, job }: JobEvent,
): SeenJob {
  const { id, attempt, labels, createdAtEpochMs, ...said } = job;
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
  });
}
