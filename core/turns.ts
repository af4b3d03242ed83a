/** The things whose turn it is, in this order, and what a round notes about each one that it has taken. */
export interface Turns<Thing> {
  things: readonly Thing[];
  /** Where the next round goes on; undefined if this one has taken all, so that the next one begins anew. */
  next: () => string | undefined;
  /** Notes that a thing's turn is over, whatever came of it. */
  taken: (thing: Thing) => void;
}

/**
 * Lets things take turns over many rounds, of which each has room for some of them only.
 *
 * @param idOf gives each thing its place: things are taken in the order of these texts
 * @param after the id of the last thing whose turn an earlier round took. @default the first thing comes first
 */
export function inTurns<Thing>(
  things: readonly Thing[],
  idOf: (thing: Thing) => string,
  after: string | undefined,
): Turns<Thing> {
  const sorted = things
    .map((thing) => ({ thing, id: idOf(thing) }))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const from = after === undefined ? 0 : sorted.findIndex(({ id }) => id > after);
  const ordered = from <= 0 ? sorted : [...sorted.slice(from), ...sorted.slice(0, from)];
  const isTaken = new Set<Thing>();
  return {
    things: ordered.map(({ thing }) => thing),
    taken: (thing) => void isTaken.add(thing),
    next: () => {
      const firstLeft = ordered.findIndex(({ thing }) => !isTaken.has(thing));
      if (firstLeft === -1) return undefined;
      return firstLeft === 0 ? after : ordered[firstLeft - 1]?.id;
    },
  };
}
