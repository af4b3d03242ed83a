import type { LostJob } from '../../core/job/lost-job.ts';
import { queuedAtEpochMs } from './seen-job.ts';

/** A job of the CI system `gitea` that lost its agent; `given` replaces fields. */
export function lostJob(given: Partial<LostJob> = {}): LostJob {
  return {
    ciSystem: 'gitea',
    jobKey: 'gitea/7/8/1',
    repositoryId: 7,
    repository: { owner: 'acme', name: 'app' },
    jobId: 8,
    runId: 40,
    attempt: 1,
    name: 'build',
    reason: "the agent's Pod is gone",
    lostAtEpochMs: queuedAtEpochMs,
    ...given,
  };
}
