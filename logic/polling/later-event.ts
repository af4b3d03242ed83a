import { type JobRecord, SeenJob } from '../../core/job/job-record.ts';
import { present } from '../../core/present.ts';
import type { CiJobState } from '../../ports/ci-system.ts';

/** Makes the event of a known job that has begun, or is over, from its record and the CI system's answer. */
export function laterEvent(
  status: 'in_progress' | 'completed',
  record: JobRecord,
  { conclusion, runner = record.runner }: Pick<CiJobState, 'conclusion' | 'runner'>,
  atEpochMs: number,
): SeenJob {
  const times =
    status === 'in_progress'
      ? { startedAtEpochMs: record.startedAtEpochMs ?? atEpochMs }
      : { completedAtEpochMs: atEpochMs };
  return { ...SeenJob.parse(record), status, ...present({ conclusion, runner }), ...times };
}
