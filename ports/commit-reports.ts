import type { CommitReport } from '../core/job/commit-report.ts';

/** Requests a report on a commit, for a function that may not write one itself. */
export interface CommitReports {
  /** Returns once the request is durable. @throws TransientError StoreUnavailable */
  request(report: CommitReport): Promise<void>;
}
