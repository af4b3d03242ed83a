import type { CommitReport } from '../../functions/domain/commit-report.ts';
import type { ToldJobs } from '../../functions/ports/told-jobs.ts';

/** The published job reports, in memory, with exactly the port's rules. They are copied on writes and reads. */
export class MemoryToldJobs implements ToldJobs {
  readonly #reports = new Map<string, CommitReport>();

  async note(report: CommitReport): Promise<CommitReport> {
    const before = this.#reports.get(report.jobKey);
    const last = before !== undefined && before.atEpochMs > report.atEpochMs ? before : report;
    this.#reports.set(report.jobKey, structuredClone(last));
    return structuredClone(last);
  }

  async listPending(ciSystem: string): Promise<ReadonlyMap<string, CommitReport>> {
    const pending = [...this.#reports.values()].filter(
      (report) => report.ciSystem === ciSystem && report.state === 'pending',
    );
    return new Map(pending.map((report) => [report.jobKey, structuredClone(report)]));
  }
}
