import type { Logger } from '@aws-lambda-powertools/logger';
import type { Finding, SweepReport } from './sweep-report.ts';

/** Logs one line for each finding of a sweep, with the ids that other functions log, and one line for the sum. */
export function logReport(log: Pick<Logger, 'info' | 'warn'>, report: SweepReport): void {
  const { findings, errors, ...sum } = report;
  for (const finding of findings) {
    log.info(`Sweep: ${wordsOf(finding)}`, { ...finding });
  }
  for (const { subject, message } of errors) log.warn(`Sweep: ${subject}: ${message}`);
  if (report.complete) log.info('Sweep: complete', { sum });
  else log.warn(`Sweep: not complete, ${report.left} left, ${errors.length} errors`, { sum });
}

/** Summarises in a few words what a sweep found and did. */
export function wordsOf(finding: Finding): string {
  const what = finding.kind === 'Launch' ? `launch ${finding.launchId}` : `${finding.kind} ${finding.name}`;
  return `${what}: ${finding.reason}, ${finding.outcome}`;
}
