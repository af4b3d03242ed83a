import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Scenario } from './run-seed.ts';
import type { SeedSpan } from './run-seeds.ts';
import { addTally, emptyTally, type Tally } from './tally.ts';

/** So few that no thread waits for long for another one at the end. */
const seedsOfSpan = 50;

/**
 * Runs seeds in several threads. A seed's run is the same in any thread.
 *
 * @param progress called after each span, with the results so far
 * @throws the error of a run
 */
export async function runInThreads(
  { fromSeed, seeds }: SeedSpan,
  workers: number,
  scenario: Pick<Scenario, 'plan' | 'jobs' | 'queued' | 'ci' | 'times' | 'isMixed'>,
  progress: (tally: Tally) => void,
): Promise<Tally> {
  const tally = emptyTally();
  let next = fromSeed;
  const end = fromSeed + seeds;

  async function work(): Promise<void> {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: scenario });
    try {
      while (next < end) {
        const span = { fromSeed: next, seeds: Math.min(seedsOfSpan, end - next) };
        next += span.seeds;
        worker.postMessage(span, []);
        const answers: Tally[] = await once(worker, 'message');
        for (const answer of answers) addTally(tally, answer);
        progress(tally);
      }
    } finally {
      await worker.terminate();
    }
  }

  await Promise.all(Array.from({ length: Math.min(workers, Math.ceil(seeds / seedsOfSpan)) }, work));
  tally.broken.sort((one, other) => one.seed - other.seed);
  return tally;
}
