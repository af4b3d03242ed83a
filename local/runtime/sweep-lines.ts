import { wordsOf } from '../../functions/sweep/log-report.ts';
import type { SweepReport } from '../../functions/sweep/sweep-report.ts';

/** Says what a sweep found and did, a line a thing; nothing, when there was nothing to be done. */
export function sweepLines({ findings, errors, left }: SweepReport): string[] {
  return [
    ...findings.map(wordsOf),
    ...errors.map(({ subject, message }) => `${subject}: ${message}`),
    ...(left > 0 ? [`${left} more are left to the next sweep`] : []),
  ];
}
