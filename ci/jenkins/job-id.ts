/** How many moments an id tells apart: the tenths of a second of eleven days. */
const moments = 10_000_000;

/** An item of Jenkins' queue. */
export interface ItemIdentity {
  /** Counts from 1. After a crash, Jenkins continues from the number that it last saved, and repeats some. */
  id: number;
  /** When it entered the queue. */
  inQueueSince: number;
}

/**
 * Makes the id of the job that a queue item is. Jenkins repeats the numbers of items after a crash, and davit remembers
 * jobs for two weeks: so the id has the item's moment, too.
 */
export function jobIdOf({ id, inQueueSince }: ItemIdentity): number {
  return id * moments + (Math.floor(inQueueSince / 100) % moments);
}

/** Finds the number of the queue item that a job was. */
export function itemIdOf(jobId: number): number {
  return Math.floor(jobId / moments);
}
