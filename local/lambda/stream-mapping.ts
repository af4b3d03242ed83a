import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { StreamRecord } from '../dynamodb/table-streams.ts';
import type { JsonValue } from '../json-value.ts';
import type { InvocationResult } from './function-host.ts';

/** A function that is run for what a stream tells. */
export interface StreamMappingOptions {
  invoke: (event: JsonValue) => Promise<InvocationResult>;
  /** Of records in one invocation. @default 25 */
  batchSize?: number;
  /** The pause before what failed is told again. @default 1000 */
  retryDelayMs?: number;
}

/** Runs the function until it is stopped. */
export interface StreamMapping extends Disposable {
  add(record: StreamRecord): void;
  /** Resolves when the function has taken everything that was told before. */
  settled(): Promise<void>;
}

const Answer = z.object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })) });

/**
 * Runs a function for each batch of what a stream tells, in order, and tells what it did not take again, as Lambda's
 * mapping of a stream with ReportBatchItemFailures does. What is not taken when the process ends is lost.
 */
export function mapStream(options: StreamMappingOptions): StreamMapping {
  return new InOrderMapping(options);
}

class InOrderMapping implements StreamMapping {
  readonly #options: Required<StreamMappingOptions>;
  readonly #waiting: StreamRecord[] = [];
  #running: Promise<void> = Promise.resolve();
  #isRunning = false;
  #isStopped = false;

  constructor(options: StreamMappingOptions) {
    this.#options = { batchSize: 25, retryDelayMs: 1000, ...options };
  }

  add(record: StreamRecord): void {
    this.#waiting.push(record);
    if (!this.#isRunning) this.#running = this.#run();
  }

  async settled(): Promise<void> {
    await this.#running;
  }

  [Symbol.dispose](): void {
    this.#isStopped = true;
  }

  async #run(): Promise<void> {
    const { invoke, batchSize, retryDelayMs } = this.#options;
    this.#isRunning = true;
    while (this.#waiting.length > 0 && !this.#isStopped) {
      const batch = this.#waiting.slice(0, batchSize);
      const taken = takenOf(batch, await invoke({ Records: batch }));
      this.#waiting.splice(0, taken);
      if (taken < batch.length && !this.#isStopped) await sleep(retryDelayMs, undefined, { ref: false });
    }
    this.#isRunning = false;
  }
}

/** How many of a batch need not be told again. */
function takenOf(batch: readonly StreamRecord[], result: InvocationResult): number {
  if (result.functionError !== undefined) return 0;
  const [first] = Answer.parse(result.payload).batchItemFailures;
  if (first === undefined) return batch.length;
  return batch.findIndex(({ dynamodb }) => dynamodb.SequenceNumber === first.itemIdentifier);
}
