import { wordsOf } from '../../functions/sweep/log-report.ts';
import type { SweepReport } from '../../functions/sweep/sweep-report.ts';

/** Describes a sweep's findings and actions, one line each; no lines if there were none. */
export function sweepLines({ findings, errors, left }: SweepReport): string[] {
  return [
    ...findings.map(wordsOf),
    ...errors.map(({ subject, message }) => `${subject}: ${message}`),
    ...(left > 0 ? [`${left} more are left to the next sweep`] : []),
  ];
}
