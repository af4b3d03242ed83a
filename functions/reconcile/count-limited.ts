import type { JobRecord } from '../../core/job/job-record.ts';
import type { ReconcileReport } from './reconcile-report.ts';

/** A job that waits for a slot of the limit with the key `limitedBy`. */
type LimitedJob = Pick<JobRecord, 'ciSystem' | 'limitedBy' | 'queuedAtEpochMs'>;

/** Counts the jobs that wait for each limit, by their CI systems. A job whose time of queueing is unknown is new. */
export function countLimited(jobs: readonly LimitedJob[], nowEpochMs: number): NonNullable<ReconcileReport['limited']> {
  const counts = new Map<string, NonNullable<ReconcileReport['limited']>[number]>();
  for (const { ciSystem, limitedBy: limit, queuedAtEpochMs = nowEpochMs } of jobs) {
    if (limit === undefined) continue;
    const key = `${ciSystem} ${limit}`;
    const { jobs: before, oldestSeconds } = counts.get(key) ?? { jobs: 0, oldestSeconds: 0 };
    const ageSeconds = Math.max(0, Math.round((nowEpochMs - queuedAtEpochMs) / 1000));
    counts.set(key, { ciSystem, limit, jobs: before + 1, oldestSeconds: Math.max(oldestSeconds, ageSeconds) });
  }
  return [...counts.values()];
}
