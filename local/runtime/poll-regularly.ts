import { failedPauseMs, PollCiReport } from '../../functions/poll-ci/poll-ci.ts';
import { sleepUnlessAborted } from '../../logic/steps/sleep.ts';
import type { InvocationResult } from './invocation.ts';

/** How davit polls a CI system. */
export interface RegularPollsOptions {
  /** Polls the CI system once. */
  invoke: () => Promise<InvocationResult>;
  /** The time between the end of a poll and the next one. */
  pauseMs: number;
  /** Receives each report. */
  onPolled: (report: PollCiReport) => void;
  /** Receives the error of a poll that failed. The next one still follows. */
  onFailed: (reason: string) => void;
  /** Resolves after the time, or at once when the signal is aborted. @default a timer */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Polls a CI system, one poll at a time, until the caller disposes of it. */
export function pollRegularly(options: RegularPollsOptions): Disposable {
  const stopping = new AbortController();
  void keepPolling(options, stopping.signal);
  return { [Symbol.dispose]: () => stopping.abort() };
}

async function keepPolling(options: RegularPollsOptions, stopping: AbortSignal): Promise<void> {
  const { invoke, pauseMs, onPolled, onFailed, sleep = sleepUnlessAborted } = options;
  while (!stopping.aborted) {
    const { functionError, payload } = await invoke();
    // A poll that the runtime's end interrupts is no failure.
    if (stopping.aborted) return;
    const report = PollCiReport.safeParse(payload).data;
    if (functionError !== undefined) onFailed(`${payload.errorType}: ${payload.errorMessage}`);
    if (report !== undefined) onPolled(report);
    // A job that cannot be handled delays no other one's poll: anybody may have such a job.
    const hasFailed = report === undefined || report.failed > 0;
    await sleep(hasFailed ? Math.max(pauseMs, failedPauseMs) : pauseMs, stopping);
  }
}
