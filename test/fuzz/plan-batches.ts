import type { Batch, Door } from './door.ts';

/** A batch and the door that it is for. */
export interface PlannedBatch extends Batch {
  door: string;
}

/** Small enough for progress to be seen, and large enough for its start not to matter. */
const batchInputs = 2500;

/**
 * Divides inputs among doors by their shares, in batches with seeds of their own: the same seed makes the same inputs,
 * whoever works on them and in whatever order.
 *
 * @param inputs in all; each door gets at least one
 */
export function planBatches(doors: readonly Door[], inputs: number, seed: number): PlannedBatch[] {
  const shares = doors.reduce((sum, { share }) => sum + share, 0);
  const planned = doors.flatMap(({ name, share }) => {
    const forDoor = Math.max(1, Math.round((inputs * share) / shares));
    return Array.from({ length: Math.ceil(forDoor / batchInputs) }, (_, index) => ({
      door: name,
      seed: seed + index,
      inputs: Math.min(batchInputs, forDoor - index * batchInputs),
    }));
  });
  // In turns: the doors with the most batches are not left for the end, and each is seen early.
  return planned.toSorted((one, other) => one.seed - other.seed);
}
