import { type JobId, jobKeyOf } from '../../core/job/job-id.ts';
import { type JobRecord, mergeJob } from '../../core/job/job-record.ts';
import * as transitions from '../../core/job/transitions.ts';
import type { Transition } from '../../core/transition.ts';
import type { Jobs } from '../../ports/jobs.ts';
import type { RecordStore } from '../../ports/record-store.ts';
import { changeRecord } from './change-record.ts';

/** The methods of a job's record. A store has its own ways for the others. */
type OfOneJob = Pick<Jobs, 'get' | 'note' | 'claimLaunch' | 'noteRanBy' | 'noteNotLaunched' | 'noteLimited'>;

/** The jobs in a store of records: each method of one job is one transition, or a read. */
export function jobsIn(store: RecordStore<JobRecord>, others: Omit<Jobs, keyof OfOneJob>): Jobs {
  const change = async (
    name: keyof OfOneJob,
    job: JobId,
    transition: Transition<JobRecord>,
  ): Promise<JobRecord | undefined> => (await changeRecord(store, { key: jobKeyOf(job), name, transition })).record;

  return {
    ...others,
    get: async (job) => (await store.read(jobKeyOf(job)))?.record,
    async note(seen, atEpochMs) {
      const record = await change('note', seen, transitions.note(seen, atEpochMs));
      return record ?? mergeJob(undefined, seen, atEpochMs);
    },
    async claimLaunch(job, counted, launchId, atEpochMs) {
      const claim = transitions.claimLaunch(counted, launchId, atEpochMs);
      return transitions.isClaimed(await change('claimLaunch', job, claim), counted, launchId);
    },
    async noteRanBy(job, launchId) {
      await change('noteRanBy', job, transitions.noteRanBy(launchId));
    },
    async noteNotLaunched(job, reason) {
      await change('noteNotLaunched', job, transitions.noteNotLaunched(reason));
    },
    async noteLimited(job, counted, limitKey, reason) {
      await change('noteLimited', job, transitions.noteLimited(counted, limitKey, reason));
    },
  };
}
