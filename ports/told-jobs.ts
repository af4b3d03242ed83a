import type { CommitReport } from '../core/job/commit-report.ts';

/** davit's reports on commits about waiting jobs. Any method may throw TransientError StoreUnavailable. */
export interface ToldJobs {
  /** Stores a report about a job, unless there is a later one. @returns the latest report */
  note(report: CommitReport): Promise<CommitReport>;
  /** Lists the reports on the jobs of a CI system that are not withdrawn, by the job's key; strongly consistent. */
  listPending(ciSystem: string): Promise<ReadonlyMap<string, CommitReport>>;
}
