import { sleepUnlessAborted } from '../../logic/steps/sleep.ts';
import type { JsonValue } from '../json-value.ts';
import type { InvocationResult } from './invocation.ts';

/** How davit probes its clusters. */
export interface RegularProbesOptions {
  /** Runs the probe function. */
  invoke: (event: JsonValue) => Promise<InvocationResult>;
  /** The time between the beginnings of two probes. */
  intervalMs: number;
  /** Receives the error of a failed probe. The next one still follows. */
  onFailed: (reason: string) => void;
}

/**
 * Probes at regular intervals, as the schedule does on AWS, until the caller disposes of it. A probe may begin before
 * the last one has ended.
 */
export function probeRegularly(options: RegularProbesOptions): Disposable {
  const stopping = new AbortController();
  void keepProbing(options, stopping.signal);
  return { [Symbol.dispose]: () => stopping.abort() };
}

async function keepProbing(options: RegularProbesOptions, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    void probeOnce(options, stopping);
    await sleepUnlessAborted(options.intervalMs, stopping);
  }
}

async function probeOnce({ invoke, onFailed }: RegularProbesOptions, stopping: AbortSignal): Promise<void> {
  const { functionError, payload } = await invoke({});
  // A probe that the runtime's end interrupts is no failure.
  if (functionError !== undefined && !stopping.aborted) onFailed(`${payload.errorType}: ${payload.errorMessage}`);
}
