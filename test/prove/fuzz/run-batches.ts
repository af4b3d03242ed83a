import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { BatchResult } from './door.ts';
import type { PlannedBatch } from './plan-batches.ts';

/** Called with each finished batch. */
export type OnBatch = (batch: PlannedBatch, result: BatchResult, tookMs: number) => void;

/** The time limit of a batch, in milliseconds. A longer one is in an endless loop. */
const patienceMs = 300_000;

/**
 * Runs batches in as many threads as there are processors.
 *
 * @throws Error when a thread dies or hangs, with its batch
 */
export async function runBatches(batches: readonly PlannedBatch[], onBatch: OnBatch): Promise<void> {
  const left = batches.values();
  const threads = Math.min(availableParallelism(), batches.length);
  await Promise.all(Array.from({ length: threads }, () => runThread(left, onBatch)));
}

async function runThread(left: IterableIterator<PlannedBatch>, onBatch: OnBatch): Promise<void> {
  // The YAML parser warns of a mapping as a key: here that is an ordinary input.
  const execArgv = ['--disable-warning=Warning', '--disable-warning=ExperimentalWarning'];
  // A thread's stack is four times as large as a process's, and a Lambda's: limit it, so that the same depth overflows.
  const resourceLimits = { stackSizeMb: 1 };
  const worker = new Worker(new URL('worker.ts', import.meta.url), { execArgv, resourceLimits });
  try {
    for (const batch of left) {
      const startedMs = performance.now();
      const answered = once(worker, 'message', { signal: AbortSignal.timeout(patienceMs) });
      worker.postMessage(batch, []);
      const [result]: BatchResult[] = await answered.catch((cause: unknown) => {
        throw new Error(`a thread died or hung at ${JSON.stringify(batch)}`, { cause });
      });
      if (result !== undefined) onBatch(batch, result, performance.now() - startedMs);
    }
    worker.postMessage('close', []);
    await once(worker, 'exit');
  } finally {
    await worker.terminate();
  }
}
