import { seededRandom } from '../../sandbox/seeded-random.ts';

/** A stream of choices that is the same for the same seed. */
export class Random {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seededRandom(seed);
  }

  chance(probability: number): boolean {
    return this.#next() < probability;
  }

  /** @returns a number from `from`, included, to `to`, not included */
  between(from: number, to: number): number {
    return from + this.#next() * (to - from);
  }

  /** @returns a whole number from `from` to `to`, both included */
  whole(from: number, to: number): number {
    return Math.floor(this.between(from, to + 1));
  }

  /** @throws RangeError for an empty list */
  pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.#next() * items.length)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  }
}

/** Derives the seed of one stream from a run's seed, so that no stream's use affects another. */
export function seedOf(seed: number, stream: string): number {
  let hash = seed ^ 0x811c9dc5;
  for (let index = 0; index < stream.length; index += 1) {
    hash = Math.imul(hash ^ stream.charCodeAt(index), 0x01000193);
  }
  return hash;
}
