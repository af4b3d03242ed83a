import { ReconcileReport } from '../../functions/reconcile/reconcile-report.ts';
import { sleepUnlessAborted } from '../../functions/steps/sleep.ts';
import type { JsonValue } from '../json-value.ts';
import type { InvocationResult } from '../lambda/function-host.ts';

/** How davit reconciles with its CI systems. */
export interface RegularReconcilesOptions {
  /** Runs the reconcile function. */
  invoke: (event: JsonValue) => Promise<InvocationResult>;
  /** The pause between two. */
  intervalMs: number;
  /** Hears of each. */
  onReconciled: (report: ReconcileReport) => void;
  /** Hears why one came to no end; the next one is made all the same. */
  onFailed: (reason: string) => void;
}

/** Reconciles again and again, one at a time, as the schedule does on AWS, until it is disposed of. */
export function reconcileRegularly(options: RegularReconcilesOptions): Disposable {
  const stopping = new AbortController();
  void keepReconciling(options, stopping.signal);
  return { [Symbol.dispose]: () => stopping.abort() };
}

async function keepReconciling(options: RegularReconcilesOptions, stopping: AbortSignal): Promise<void> {
  for (;;) {
    await sleepUnlessAborted(options.intervalMs, stopping);
    if (stopping.aborted) return;
    const { functionError, payload } = await options.invoke({});
    // One that is cut off by the runtime's end is no failure.
    if (stopping.aborted) return;
    if (functionError === undefined) options.onReconciled(ReconcileReport.parse(payload));
    else options.onFailed(`${payload.errorType}: ${payload.errorMessage}`);
  }
}
