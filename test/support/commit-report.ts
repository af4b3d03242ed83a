import type { CommitReport } from '../../core/job/commit-report.ts';
import { queuedAtEpochMs } from './seen-job.ts';

/** A report about a waiting job of the CI system `gitea`; `given` replaces fields. */
export function commitReport(given: Partial<CommitReport> = {}): CommitReport {
  return {
    ciSystem: 'gitea',
    jobKey: 'gitea/7/8/1',
    repository: { owner: 'acme', name: 'app' },
    sha: 'c0ffee',
    context: 'davit / ci / build',
    state: 'pending',
    description: 'its agent is being launched',
    atEpochMs: queuedAtEpochMs + 60_000,
    ...given,
  };
}
