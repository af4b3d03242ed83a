import type { Batch, ListedDoor } from './door.ts';

/** A batch and its door. */
export interface PlannedBatch extends Batch {
  door: string;
}

/** Small enough to show progress, and large enough to make its start-up cost negligible. */
const batchInputs = 2500;

/**
 * Divides inputs among doors by their shares, in batches with separate seeds. The same seed makes the same inputs,
 * whichever threads run them and in whatever order.
 *
 * @param inputs the total number; each door gets at least one
 */
export function planBatches(
  doors: readonly Pick<ListedDoor, 'name' | 'share'>[],
  inputs: number,
  seed: number,
): PlannedBatch[] {
  const shares = doors.reduce((sum, { share }) => sum + share, 0);
  const planned = doors.flatMap(({ name, share }) => {
    const forDoor = Math.max(1, Math.round((inputs * share) / shares));
    return Array.from({ length: Math.ceil(forDoor / batchInputs) }, (_, index) => ({
      door: name,
      seed: seed + index,
      inputs: Math.min(batchInputs, forDoor - index * batchInputs),
    }));
  });
  // Interleaved: the doors with the most batches are not left for the end, and each door starts early.
  return planned.toSorted((one, other) => one.seed - other.seed);
}
