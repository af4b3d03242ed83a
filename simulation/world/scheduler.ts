import type { Random } from './random.ts';

/** A future event; `cancel` removes it. */
export class Scheduled {
  readonly atMs: number;
  #run: (() => void) | undefined;

  constructor(atMs: number, run: () => void) {
    this.atMs = atMs;
    this.#run = run;
  }

  cancel(): void {
    this.#run = undefined;
  }

  get isCancelled(): boolean {
    return this.#run === undefined;
  }

  happen(): void {
    this.#run?.();
  }
}

/** The first moment of every run, in milliseconds since 1970-01-01T00:00:00Z. */
export const startEpochMs = Date.UTC(2026, 0, 1);

/**
 * The only clock and the only source of events of a run. One event happens at a time; its promises run until they wait
 * for another event. Times have a random fraction of a millisecond, so the seed decides the order of events in the same
 * millisecond.
 */
export class Scheduler {
  readonly #random: Random;
  readonly #heap: Scheduled[] = [];
  #nowMs = startEpochMs;

  constructor(random: Random) {
    this.#random = random;
  }

  readonly nowEpochMs = (): number => Math.floor(this.#nowMs);

  after(delayMs: number, run: () => void): Scheduled {
    const scheduled = new Scheduled(this.#nowMs + Math.max(0, delayMs) + this.#random.between(0, 1), run);
    this.#push(scheduled);
    return scheduled;
  }

  /** Runs all events in order, until none is left. */
  async run(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const now = Promise.resolve();
      const turn = () => {
        try {
          let scheduled = this.#pop();
          while (scheduled?.isCancelled) scheduled = this.#pop();
          if (scheduled === undefined) return resolve();
          this.#nowMs = scheduled.atMs;
          scheduled.happen();
          // A tick comes after all microtasks, including those that this event caused.
          void now.then(() => process.nextTick(turn));
        } catch (error) {
          reject(error);
        }
      };
      process.nextTick(turn);
    });
  }

  #push(scheduled: Scheduled): void {
    const heap = this.#heap;
    let index = heap.push(scheduled) - 1;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = heap[parentIndex];
      if (parent === undefined || parent.atMs <= scheduled.atMs) break;
      heap[index] = parent;
      index = parentIndex;
    }
    heap[index] = scheduled;
  }

  #pop(): Scheduled | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const right = left + 1;
      const smaller = (heap[right]?.atMs ?? Infinity) < (heap[left]?.atMs ?? Infinity) ? right : left;
      const child = heap[smaller];
      if (child === undefined || child.atMs >= last.atMs) break;
      heap[index] = child;
      index = smaller;
    }
    heap[index] = last;
    return first;
  }
}
