/**
 * Does something for each of many things, a few at a time.
 *
 * @throws what the first that fails throws
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
