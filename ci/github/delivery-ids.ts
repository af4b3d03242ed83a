import { idOf } from '../id-of-name.ts';

/** The least number that is made from an id. GitHub's own ids are far less, or do not fit into a number. */
const leastMade = 2 ** 52;

/** How many ids to remember. */
const mostKept = 20_000;

/** The numbers by which davit knows deliveries. GitHub's ids of them have had 64 bits since 2026: too many for a number. */
export interface DeliveryIds {
  /** Finds the number of a delivery: its id, if that is safe, or one that is made from its id and is always the same. */
  numberOf(id: number | bigint): number;
  /** Finds the id of a number. @returns undefined for a number that is made from an id, and that this process has not made */
  idOf(number: number): string | undefined;
}

/** Remembers the ids of the deliveries that this process has listed. */
export function createDeliveryIds(): DeliveryIds {
  const made = new Map<number, string>();
  return {
    numberOf: (id) => {
      if (id < leastMade) return Number(id);
      const number = leastMade + idOf(`${id}`);
      made.set(number, `${id}`);
      const [oldest] = made.size > mostKept ? made.keys() : [];
      if (oldest !== undefined) made.delete(oldest);
      return number;
    },
    idOf: (number) => (number < leastMade ? `${number}` : made.get(number)),
  };
}
