import { SweepReport } from '../../functions/sweep/sweep-report.ts';
import { sleepUnlessAborted } from '../../logic/steps/sleep.ts';
import type { JsonValue } from '../json-value.ts';
import type { InvocationResult } from './invocation.ts';

/** The settings of regular sweeps. */
export interface RegularSweepsOptions {
  /** Runs the sweep function. */
  invoke: (event: JsonValue) => Promise<InvocationResult>;
  /** The pause between two sweeps. */
  intervalMs: number;
  /** Receives the report of each sweep. */
  onSwept: (report: SweepReport) => void;
  /** Receives the error of a failed sweep. The next one still follows. */
  onFailed: (reason: string) => void;
}

/** Regular sweeps, until the caller disposes of them. */
export interface RegularSweeps extends Disposable {
  /** The report of the first sweep, which runs before any request; undefined if it failed. */
  first: SweepReport | undefined;
}

/**
 * Sweeps once, then at regular intervals, one sweep at a time, as the schedule does on AWS. The first sweep grants no
 * grace, because every process that worked on a launch died with the previous runtime.
 */
export async function sweepRegularly(options: RegularSweepsOptions): Promise<RegularSweeps> {
  const stopping = new AbortController();
  const first = await sweepOnce(options, { graceSeconds: 0 }, stopping.signal);
  void keepSweeping(options, stopping.signal);
  return { first, [Symbol.dispose]: () => stopping.abort() };
}

async function keepSweeping(options: RegularSweepsOptions, stopping: AbortSignal): Promise<void> {
  for (;;) {
    await sleepUnlessAborted(options.intervalMs, stopping);
    if (stopping.aborted) return;
    await sweepOnce(options, {}, stopping);
  }
}

async function sweepOnce(
  { invoke, onSwept, onFailed }: RegularSweepsOptions,
  event: JsonValue,
  stopping: AbortSignal,
): Promise<SweepReport | undefined> {
  const result = await invoke(event);
  // A sweep that the runtime's end interrupts is no failure; the next start sweeps first.
  if (stopping.aborted) return undefined;
  if (result.functionError !== undefined) {
    onFailed(`${result.payload.errorType}: ${result.payload.errorMessage}`);
    return undefined;
  }
  const report = SweepReport.parse(result.payload);
  onSwept(report);
  return report;
}
