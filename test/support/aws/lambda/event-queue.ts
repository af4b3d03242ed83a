import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonValue } from '../../../../local/json-value.ts';
import { openJsonLines } from '../json-lines.ts';
import type { FunctionHost } from './function-host.ts';

/** The dependencies of the queue of asynchronous invocations. */
export interface EventQueueOptions {
  host: Pick<FunctionHost, 'has' | 'invoke'>;
  /** The file to which each event is appended. */
  journalPath?: string;
  /** Pauses before the second and the third attempt. @default one and two minutes, as on AWS */
  retryDelaysMs?: readonly number[];
  /** Receives each event that failed in its last attempt. */
  onDropped: (functionName: string, reason: string) => void;
}

/** The queue of asynchronous invocations. It accepts an event at once, runs it later, and retries it. */
export interface EventQueue {
  /** Runs an event in the background. Does nothing after the stop. */
  add(functionName: string, event: JsonValue): void;
  /** Starts no more attempts. */
  stop(): void;
}

/** Opens an empty queue. */
export function openEventQueue(options: EventQueueOptions): EventQueue {
  const { host, journalPath, retryDelaysMs = [60_000, 120_000], onDropped } = options;
  const journal = openJsonLines(journalPath);
  const stopping = new AbortController();

  async function run(functionName: string, event: JsonValue): Promise<void> {
    for (const delayMs of [...retryDelaysMs, undefined]) {
      const failure = await failureOf(host, functionName, event);
      if (failure === undefined || stopping.signal.aborted) return;
      if (delayMs === undefined) return onDropped(functionName, failure);
      // This rejects only when the queue stops.
      const slept = await sleep(delayMs, true, { signal: stopping.signal }).catch(() => false);
      if (!slept) return;
    }
  }

  return {
    add: (functionName, event) => {
      if (stopping.signal.aborted) return;
      journal.append({ functionName, event });
      void run(functionName, event);
    },
    stop: () => {
      if (stopping.signal.aborted) return;
      stopping.abort();
      journal.close();
    },
  };
}

/** Runs an event once. @returns the reason if it failed */
async function failureOf(
  host: EventQueueOptions['host'],
  functionName: string,
  event: JsonValue,
): Promise<string | undefined> {
  try {
    const result = await host.invoke(functionName, event);
    return result.functionError && `${result.payload.errorType}: ${result.payload.errorMessage}`;
  } catch (error) {
    return String(error);
  }
}
