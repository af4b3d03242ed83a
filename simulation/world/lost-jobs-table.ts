import type { LostJob, LostJobRecord } from '../../core/job/lost-job.ts';
import { lostJobsIn } from '../../logic/records/lost-jobs-in.ts';
import type { LostJobs } from '../../ports/lost-jobs.ts';
import type { Invocation } from './invocation.ts';
import { RecordsTable, simulatedRecords } from './records-table.ts';

/** The lost jobs: each method is one request to DynamoDB, and has its effect at one moment. */
export class LostJobsTable extends RecordsTable<LostJobRecord> {
  /** The lost jobs without an outcome. */
  get waiting(): LostJob[] {
    return this.all.filter(({ outcome }) => outcome === undefined).map(({ lost }) => lost);
  }

  /** The attempt of a job that davit noted as lost first. */
  attemptOf(jobId: number): number | undefined {
    return this.all.find(({ lost }) => lost.jobId === jobId)?.lost.attempt;
  }
}

/** The lost jobs as one run of a function reaches them. */
export function simulatedLostJobs(table: LostJobsTable, invocation: Invocation): LostJobs {
  return lostJobsIn(simulatedRecords(table, invocation), (wanted) =>
    invocation.reads('store', () => table.all.filter(({ lost }) => lost.ciSystem === wanted)),
  );
}
