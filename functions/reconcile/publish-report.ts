import type { Logger } from '@aws-lambda-powertools/logger';
import { atATime } from '../../core/at-a-time.ts';
import { isoTime } from '../../core/epoch-ms.ts';
import type { JobRefusedEvent } from '../../core/events/job-events.ts';
import type { LimitEvent } from '../../core/events/limit-event.ts';
import type { Repair, RepairEvent } from '../../core/events/repair-event.ts';
import type { Events } from '../../ports/events.ts';
import type { Metrics } from '../../runtime/metrics/metrics.ts';
import type { ReconcileReport, RepairDone } from './reconcile-report.ts';

/**
 * Repairs that show that something went wrong. A surplus shows no fault, because a job that is cancelled in the queue
 * leaves a surplus agent. Nor does an idle agent, for the same reason. Warm agents are as davit.yaml wants them.
 */
const symptoms: ReadonlySet<Repair> = new Set([
  'LaunchRequested',
  'ReplacementRequested',
  'RetirementRepeated',
  'GhostRemoved',
  'WebhookRedelivered',
  'JobRerun',
  'CompletionMissed',
  'WarmPaused',
]);

interface TellReconcileDeps {
  metrics: Metrics;
  events: Events<RepairEvent | LimitEvent | JobRefusedEvent>;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  nowEpochMs: () => number;
}

/** How many events to send at a time. */
const sentAtATime = 10;

/**
 * Logs one line for each repair and each failure, counts them, and sends an event for each repair, each refused job, and
 * each limit that jobs wait for. Counts zero, too: a gauge of the local runtime would keep its last value. A reconcile does
 * not fail if davit cannot send an event, because the log has the same content.
 */
export async function publishReport(deps: TellReconcileDeps, report: ReconcileReport): Promise<void> {
  const { metrics, log } = deps;
  const { complete, seen, limited, repairs, refused, errors } = report;
  for (const repair of repairs)
    log.info(`Reconcile: ${repair.repair} ${repair.subject}: ${repair.reason}`, { ...repair });
  for (const job of refused) log.info(`Reconcile: ${job.job.key} is refused: ${job.reason}`, { ...job });
  for (const { subject, message } of errors) log.warn(`Reconcile: ${subject}: ${message}`);
  if (complete) log.info('Reconcile: complete', { seen, limited });
  else log.warn(`Reconcile: not complete, ${errors.length} errors`, { seen, limited });

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
  if (limited !== undefined) {
    metrics.put('LimitedJobs', sum(limited.map(({ jobs }) => jobs)), {});
    metrics.put('OldestLimitedJob', Math.max(0, ...limited.map(({ oldestSeconds }) => oldestSeconds)), {});
  }
  const at = isoTime(deps.nowEpochMs());
  const events = [
    ...repairs.map((repair) => repairEvent(repair, at)),
    ...refused.map((detail): JobRefusedEvent => ({ type: 'JobRefused', detail })),
    ...(limited ?? []).map((of) => limitEvent(of, at)),
  ];
  await atATime(sentAtATime, events, (event) => send(deps, event));
}

function sum(values: readonly number[]): number {
  return values.reduce((one, other) => one + other, 0);
}

function repairEvent(repair: RepairDone, at: string): RepairEvent {
  return { type: 'RepairMade', detail: { id: `reconcile/${repair.repair}/${repair.subject}/${at}`, ...repair, at } };
}

function limitEvent(limited: NonNullable<ReconcileReport['limited']>[number], at: string): LimitEvent {
  const id = `reconcile/JobsWaitForSlots/${limited.ciSystem}/${limited.limit}/${at}`;
  return { type: 'JobsWaitForSlots', detail: { id, ...limited, at } };
}

async function send(
  { events, metrics, log }: TellReconcileDeps,
  event: RepairEvent | LimitEvent | JobRefusedEvent,
): Promise<void> {
  try {
    await events.send(event);
  } catch (error) {
    log.error(`the event ${event.detail.id} was not sent`, error instanceof Error ? error : new Error(String(error)));
    metrics.put('EventsNotSent', 1, {});
  }
}
