import { ReconcileReport } from '../../functions/reconcile/reconcile-report.ts';
import { sleepUnlessAborted } from '../../logic/steps/sleep.ts';
import type { JsonValue } from '../json-value.ts';
import type { InvocationResult } from './invocation.ts';

/** How davit reconciles with its CI systems. */
export interface RegularReconcilesOptions {
  /** Runs the reconcile function. */
  invoke: (event: JsonValue) => Promise<InvocationResult>;
  /**
   * The time between the beginnings of two reconciles, as on a schedule. A reconcile that takes longer delays the next
   * one.
   */
  intervalMs: number;
  /** Receives each report. */
  onReconciled: (report: ReconcileReport) => void;
  /** Receives the error of a failed reconcile. The next one still follows. */
  onFailed: (reason: string) => void;
  /** Resolves after the time, or at once when the signal is aborted. @default a timer */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The clock, in milliseconds. @default the process's own */
  nowMs?: () => number;
}

/**
 * Reconciles at once, then at regular intervals, one at a time, as the schedule does on AWS, until the caller disposes of
 * it. The first one finds what happened while no davit ran, such as webhooks that nobody took.
 */
export function reconcileRegularly(options: RegularReconcilesOptions): Disposable {
  const stopping = new AbortController();
  void keepReconciling(options, stopping.signal);
  return { [Symbol.dispose]: () => stopping.abort() };
}

async function keepReconciling(options: RegularReconcilesOptions, stopping: AbortSignal): Promise<void> {
  const { intervalMs, sleep = sleepUnlessAborted, nowMs = () => performance.now() } = options;
  while (!stopping.aborted) {
    const beganMs = nowMs();
    const { functionError, payload } = await options.invoke({});
    // A reconcile that the runtime's end interrupts is no failure.
    if (stopping.aborted) return;
    if (functionError === undefined) options.onReconciled(ReconcileReport.parse(payload));
    else options.onFailed(`${payload.errorType}: ${payload.errorMessage}`);
    await sleep(Math.max(0, beganMs + intervalMs - nowMs()), stopping);
  }
}
