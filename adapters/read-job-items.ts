import { toDotPath } from 'zod/v4/core';
import { JobRecord } from '../core/job/job-record.ts';

/** An item of the jobs table, by its key. */
export interface StoredJob {
  /** By `jobKeyOf`. */
  jobKey: string;
  item: unknown;
}

/** Reports a job whose record cannot be read, and why. */
export type ReportUnreadable = (jobKey: string, why: string) => void;

/**
 * Makes a function that reads the records of jobs. It leaves out those that cannot be read, and reports each of them once,
 * and again if it becomes unreadable in another way: a round reads it every minute.
 */
export function jobItemReader(report: ReportUnreadable): (stored: readonly StoredJob[]) => JobRecord[] {
  const reported = new Map<string, string>();
  return (stored) =>
    stored.flatMap(({ jobKey, item }) => {
      const { data, error } = JobRecord.safeParse(item);
      if (data !== undefined) return [data];
      const why = error.issues.map(({ path, message }) => `${toDotPath(path)}: ${message}`).join('; ');
      if (reported.get(jobKey) !== why) {
        reported.set(jobKey, why);
        report(jobKey, why);
      }
      return [];
    });
}
