/** How many things a reconcile writes at a time: jobs, and launches, each of which takes up to four calls. */
export const writesAtATime = 10;

/**
 * Does something for each of many things, a few at a time, and begins them in their order.
 *
 * @throws the error of the first failure
 */
export async function atATime<Thing>(
  count: number,
  things: readonly Thing[],
  act: (thing: Thing) => Promise<void>,
): Promise<void> {
  // All workers take from one iterator.
  const left = things.values();
  const work = async () => {
    for (const thing of left) await act(thing);
  };
  await Promise.all(Array.from({ length: count }, work));
}
