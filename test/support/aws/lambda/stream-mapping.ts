import * as z from 'zod';
import type { JsonValue } from '../../../../local/json-value.ts';
import type { InvocationResult } from '../../../../local/runtime/invocation.ts';
import { sleepUnlessAborted } from '../../../../logic/steps/sleep.ts';
import type { StreamRecord } from '../dynamodb/table-streams.ts';

/** A function that runs for the records of a stream. */
export interface StreamMappingOptions {
  invoke: (event: JsonValue) => Promise<InvocationResult>;
  /** The most records in one invocation. @default 25 */
  batchSize?: number;
  /** How long a record waits for others. @default 250, since Lambda reads a stream four times a second */
  pollMs?: number;
  /** The pause before failed records are delivered again. @default 1000 */
  retryDelayMs?: number;
}

/** Runs the function until it is stopped, then once more with the waiting records. */
export interface StreamMapping extends AsyncDisposable {
  add(record: StreamRecord): void;
  /** Resolves when the function has taken every record that came before. */
  settled(): Promise<void>;
}

const Answer = z.object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })) });

/**
 * Runs a function for each batch of a stream's records, in order, and delivers failed records again, like Lambda's
 * mapping of a stream with ReportBatchItemFailures. Records that the function has not taken are lost when the process
 * ends.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
 */
export function mapStream(options: StreamMappingOptions): StreamMapping {
  return new InOrderMapping(options);
}

class InOrderMapping implements StreamMapping {
  readonly #options: Required<StreamMappingOptions>;
  readonly #waiting: StreamRecord[] = [];
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #isRunning = false;

  constructor(options: StreamMappingOptions) {
    this.#options = { batchSize: 25, pollMs: 250, retryDelayMs: 1000, ...options };
  }

  add(record: StreamRecord): void {
    this.#waiting.push(record);
    if (!this.#isRunning) this.#running = this.#run();
  }

  async settled(): Promise<void> {
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { invoke, batchSize, pollMs, retryDelayMs } = this.#options;
    let delayMs = pollMs;
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      await sleepUnlessAborted(delayMs, this.#stopping.signal);
      const batch = this.#waiting.slice(0, batchSize);
      const taken = takenOf(batch, await invoke({ Records: batch }));
      this.#waiting.splice(0, taken);
      const isRefused = taken < batch.length;
      if (isRefused && this.#stopping.signal.aborted) break;
      if (isRefused) delayMs = retryDelayMs;
      else delayMs = taken === batchSize ? 0 : pollMs;
    }
    this.#isRunning = false;
  }
}

/** Counts the records of a batch that need no second delivery. */
function takenOf(batch: readonly StreamRecord[], result: InvocationResult): number {
  if (result.functionError !== undefined) return 0;
  const [first] = Answer.parse(result.payload).batchItemFailures;
  if (first === undefined) return batch.length;
  return batch.findIndex(({ dynamodb }) => dynamodb.SequenceNumber === first.itemIdentifier);
}
