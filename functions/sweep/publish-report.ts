import { isoTime } from '../../core/epoch-ms.ts';
import type { SweepEvent } from '../../core/events/sweep-event.ts';
import type { Events } from '../../ports/events.ts';
import type { Metrics } from '../../runtime/metrics/metrics.ts';
import type { Finding, SweepReport } from './sweep-report.ts';

interface TellDeps {
  metrics: Metrics;
  events: Events<SweepEvent>;
  log: { error(message: string, error: Error): void };
  nowEpochMs: () => number;
}

/**
 * Publishes a sweep's findings and actions: as metrics, and as an event if there are any. Does not publish a dry run. A
 * sweep does not fail if davit cannot send its event, because the log has the same content.
 */
export async function publishReport(deps: TellDeps, report: SweepReport): Promise<void> {
  if (report.dryRun) return;
  count(deps.metrics, report);
  if (report.complete && report.findings.length === 0) return;
  try {
    await deps.events.send(eventOf(report, deps.nowEpochMs()));
  } catch (error) {
    deps.log.error('the event of a sweep was not sent', error instanceof Error ? error : new Error(String(error)));
    deps.metrics.put('EventsNotSent', 1, {});
  }
}

function count(metrics: Metrics, report: SweepReport): void {
  const { found, done, spared, findings, inFlight } = report;
  for (const [reason, value] of Object.entries(found)) metrics.put('SweepFound', value, { reason });
  for (const [outcome, value] of Object.entries(done)) metrics.put('SweepDone', value, { outcome });
  for (const [reason, value] of Object.entries(spared)) metrics.put('SweepSpared', value, { reason });
  // Zeros, too: a gauge of the local runtime would keep its last value.
  metrics.put('SweepLeaks', findings.filter(isLeak).length, {});
  metrics.put('SweepUndone', undoneIn(report), {});
  if (inFlight === undefined) return;
  metrics.put('OldestLaunch', inFlight.oldestSeconds, {});
  for (const status of ['launching', 'connected', 'cleaning'] as const) {
    metrics.put('LaunchesInFlight', inFlight[status], { status });
  }
}

/** A sweep that ran out of time does not know how much it left: that counts as one. */
function undoneIn({ complete, left, errors }: SweepReport): number {
  return Math.max(left + errors.length, complete ? 0 : 1);
}

/** Findings of a launch that is being cleaned up do not count: its clean-up would have removed them. */
function isLeak({ kind, reason }: Finding): boolean {
  return kind !== 'Launch' && reason !== 'LaunchCleaning';
}

const mostFindings = 100;
const mostErrors = 20;
const mostErrorCharacters = 1000;

function eventOf(report: SweepReport, nowEpochMs: number): SweepEvent {
  const { complete, found, done, left, findings, errors } = report;
  const at = isoTime(nowEpochMs);
  const detail = {
    id: `sweep/${at}`,
    complete,
    found,
    done,
    left,
    findings: findings.slice(0, mostFindings).map(withoutUid),
    errors: errors
      .slice(0, mostErrors)
      .map(({ subject, message }) => ({ subject, message: message.slice(0, mostErrorCharacters) })),
    at,
  };
  return { type: 'SweepReported', detail };
}

function withoutUid(finding: Finding): SweepEvent['detail']['findings'][number] {
  if (finding.kind === 'Launch') return finding;
  const { uid: _uid, ...rest } = finding;
  return rest;
}
