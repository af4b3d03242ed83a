import { type LostJob, type LostJobRecord, lostJobKeyOf } from '../../core/job/lost-job.ts';
import * as transitions from '../../core/job/lost-transitions.ts';
import type { Transition } from '../../core/transition.ts';
import type { LostJobs } from '../../ports/lost-jobs.ts';
import type { RecordStore } from '../../ports/record-store.ts';
import { changeRecord } from './change-record.ts';

/** The key of a lost job's record: its CI system, `/`, and `lostJobKeyOf`. */
export function lostRecordKeyOf(lost: LostJob): string {
  return `${lost.ciSystem}/${lostJobKeyOf(lost)}`;
}

/**
 * The lost jobs in a store of records: each method of one job is one transition.
 *
 * @param list lists the records of a CI system, strongly consistent
 */
export function lostJobsIn(
  store: RecordStore<LostJobRecord>,
  list: (ciSystem: string) => Promise<LostJobRecord[]>,
): LostJobs {
  const change = async (
    name: keyof LostJobs,
    lost: LostJob,
    transition: Transition<LostJobRecord>,
  ): Promise<LostJobRecord | undefined> =>
    (await changeRecord(store, { key: lostRecordKeyOf(lost), name, transition })).record;

  return {
    async note(lost) {
      await change('note', lost, transitions.note(lost));
    },
    async listWaiting(ciSystem) {
      const records = await list(ciSystem);
      return records.filter(({ outcome }) => outcome === undefined).map(({ lost }) => lost);
    },
    async claim(lost, { by, atEpochMs, untilEpochMs }) {
      const record = await change('claim', lost, transitions.claim(by, atEpochMs, untilEpochMs));
      return transitions.isClaimedBy(record, by);
    },
    async release(lost, { by }) {
      await change('release', lost, transitions.release(by));
    },
    async settle(lost, outcome) {
      await change('settle', lost, transitions.settle(outcome));
    },
  };
}
