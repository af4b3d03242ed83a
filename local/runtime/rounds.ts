import type * as z from '../../core/zod.ts';
import { sleepUnlessAborted } from '../../logic/steps/sleep.ts';
import type { InvocationResult } from './invocation.ts';

/** How a function is run again and again, as its schedule does on AWS. */
export interface Rounds<Report> {
  /** Runs the function once. */
  invoke: () => Promise<InvocationResult>;
  /** The schema of its report. */
  Report: z.ZodMiniType<Report>;
  /**
   * Says how long to wait after a round, in milliseconds.
   *
   * @param tookMs for how long it ran
   * @param report undefined if it failed
   */
  pauseMs: (tookMs: number, report: Report | undefined) => number;
  /** Whether a round may begin before the last one has ended. @default it may not */
  mayOverlap?: boolean;
  onReport: (report: Report) => void;
  /** Receives the error of a round that failed. The next one still follows. */
  onFailed: (reason: string) => void;
  /** Resolves after the time, or at once when the signal is aborted. @default a timer */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The clock, in milliseconds. @default the process's own */
  nowMs?: () => number;
}

/** Runs rounds, one at a time unless they may overlap, until the caller disposes of it. @param firstInMs when the first one begins. @default at once */
export function startRounds<Report>(rounds: Rounds<Report>, firstInMs = 0): Disposable {
  const stopping = new AbortController();
  void keepRunning(rounds, firstInMs, stopping.signal);
  return { [Symbol.dispose]: () => stopping.abort() };
}

async function keepRunning<Report>(rounds: Rounds<Report>, firstInMs: number, stopping: AbortSignal): Promise<void> {
  const { pauseMs, mayOverlap = false, sleep = sleepUnlessAborted, nowMs = () => performance.now() } = rounds;
  if (firstInMs > 0) await sleep(firstInMs, stopping);
  while (!stopping.aborted) {
    const beganMs = nowMs();
    const round = runRound(rounds, stopping);
    const report = mayOverlap ? undefined : await round;
    await sleep(pauseMs(nowMs() - beganMs, report), stopping);
  }
}

/** Runs one round, and reports it, unless the runtime's end interrupts it. @returns undefined if it failed */
export async function runRound<Report>(
  { invoke, Report, onReport, onFailed }: Pick<Rounds<Report>, 'invoke' | 'Report' | 'onReport' | 'onFailed'>,
  stopping?: AbortSignal,
): Promise<Report | undefined> {
  const { functionError, payload } = await invoke();
  if (stopping?.aborted === true) return undefined;
  if (functionError !== undefined) {
    onFailed(`${payload.errorType}: ${payload.errorMessage}`);
    return undefined;
  }
  const report = Report.parse(payload);
  onReport(report);
  return report;
}
