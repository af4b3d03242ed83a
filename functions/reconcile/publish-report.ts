import type { Logger } from '@aws-lambda-powertools/logger';
import type { Metrics } from '../metrics/metrics.ts';
import type { ReconcileReport, Repair } from './reconcile-report.ts';

/**
 * Repairs that say that something went wrong. A surplus is no such thing: a job that is cancelled in the queue leaves one,
 * and an agent that runs nothing is retired for the same reason.
 */
const symptoms: ReadonlySet<Repair> = new Set([
  'LaunchRequested',
  'ReplacementRequested',
  'RetirementRepeated',
  'GhostRemoved',
  'WebhookRedelivered',
]);

/** Where a reconcile is told of. */
export interface TellReconcileDeps {
  metrics: Metrics;
  log: Pick<Logger, 'info' | 'warn'>;
}

/** Logs one line for each repair and each failure, and counts them. Zero is counted, too: alarms need data to recover. */
export function publishReport({ metrics, log }: TellReconcileDeps, report: ReconcileReport): void {
  const { complete, seen, repairs, errors } = report;
  for (const repair of repairs)
    log.info(`Reconcile: ${repair.repair} ${repair.subject}: ${repair.reason}`, { ...repair });
  for (const { subject, message } of errors) log.warn(`Reconcile: ${subject}: ${message}`);
  if (complete) log.info('Reconcile: complete', { seen });
  else log.warn(`Reconcile: not complete, ${errors.length} errors`, { seen });

  const counts = new Map<Repair, number>();
  for (const { repair } of repairs) counts.set(repair, (counts.get(repair) ?? 0) + 1);
  for (const [repair, count] of counts) metrics.put('Repairs', count, { repair });
  metrics.put('RepairedSymptoms', repairs.filter(({ repair }) => symptoms.has(repair)).length, {});
  metrics.put('ReconcileUndone', Math.max(errors.length, complete ? 0 : 1), {});
  for (const { ciSystem, queued, idle, oldestQueuedSeconds } of seen) {
    metrics.put('QueuedJobs', queued, { ciSystem });
    metrics.put('IdleAgents', idle, { ciSystem });
    metrics.put('OldestQueuedJob', oldestQueuedSeconds, { ciSystem });
  }
}
