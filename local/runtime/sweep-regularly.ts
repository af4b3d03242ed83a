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
  /** Whether an earlier process has left launches unfinished. */
  takesOver: boolean;
  /** Receives the report of each sweep. */
  onSwept: (report: SweepReport) => void;
  /** Receives the error of a failed sweep. The next one still follows. */
  onFailed: (reason: string) => void;
}

/**
 * Sweeps at once and then at regular intervals, one sweep at a time, as the schedule does on AWS, until the caller disposes of
 * it. Where an earlier process left launches unfinished, this function returns after the first sweep, which grants no grace:
 * every process that worked on the launches is dead.
 */
export async function sweepRegularly(options: RegularSweepsOptions): Promise<Disposable> {
  const stopping = new AbortController();
  if (options.takesOver) await sweepOnce(options, { graceSeconds: 0 }, stopping.signal);
  void keepSweeping(options, stopping.signal);
  return { [Symbol.dispose]: () => stopping.abort() };
}

async function keepSweeping(options: RegularSweepsOptions, stopping: AbortSignal): Promise<void> {
  if (!options.takesOver) await sweepOnce(options, {}, stopping);
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
): Promise<void> {
  const { functionError, payload } = await invoke(event);
  // A sweep that the runtime's end interrupts is no failure.
  if (stopping.aborted) return;
  if (functionError !== undefined) onFailed(`${payload.errorType}: ${payload.errorMessage}`);
  else onSwept(SweepReport.parse(payload));
}
