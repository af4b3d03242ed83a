import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { BatchResult } from './door.ts';
import type { PlannedBatch } from './plan-batches.ts';

/** Hears of each batch when it is done. */
export type OnBatch = (batch: PlannedBatch, result: BatchResult, tookMs: number) => void;

/** How long a batch may take, in milliseconds; one that takes longer hangs in a loop that nothing interrupts. */
const patienceMs = 300_000;

/**
 * Works on batches in as many threads as there are processors.
 *
 * @throws Error when a thread dies or hangs, with the batch that it was at
 */
export async function runBatches(batches: readonly PlannedBatch[], onBatch: OnBatch): Promise<void> {
  const left = batches.values();
  const threads = Math.min(availableParallelism(), batches.length);
  await Promise.all(Array.from({ length: threads }, () => runThread(left, onBatch)));
}

async function runThread(left: IterableIterator<PlannedBatch>, onBatch: OnBatch): Promise<void> {
  // YAML with a mapping for a key is warned of by its parser: here that is an input like any other.
  const execArgv = ['--disable-warning=Warning', '--disable-warning=ExperimentalWarning'];
  // A thread's stack is four times that of a process, and of a Lambda: what is too deep there has to be too deep here.
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
