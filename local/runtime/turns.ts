import { TooManyRequests } from './invocation.ts';

/** The settings of `Turns`. */
export interface TurnsOptions {
  /** How many tasks may have their turn at once. @default 16 */
  atOnce?: number;
  /** How long a turn lasts at most, in milliseconds. A longer task goes on, and the next one begins. @default 500 */
  turnMs?: number;
  /** How long work waits for its turn before it is refused, in milliseconds. @default 15000 */
  patienceMs?: number;
}

interface Waiting {
  begin: () => void;
  isAnswer: boolean;
  urgency: number;
}

/** While both wait, this many answers begin before one piece of work does. */
const answersInARow = 7;

/**
 * Decides which task begins next when there are more tasks than one thread can run. Answers come before work: a CI
 * system gives up on an answer after 10 s, and work can wait. Without turns, all tasks of a burst would share the
 * thread, and all of them would end only when the last one does.
 */
export class Turns {
  readonly #turnMs: number;
  readonly #patienceMs: number;
  readonly #answers: Waiting[] = [];
  readonly #work: Waiting[] = [];
  #free: number;
  #inARow = 0;

  constructor({ atOnce = 16, turnMs = 500, patienceMs = 15_000 }: TurnsOptions = {}) {
    this.#free = atOnce;
    this.#turnMs = turnMs;
    this.#patienceMs = patienceMs;
  }

  /** Runs a task for whose answer a caller waits. @throws what the task throws */
  async answer<Result>(run: () => Promise<Result>): Promise<Result> {
    await new Promise<void>((begin) => this.#add(this.#answers, { begin, isAnswer: true, urgency: 0 }));
    return this.#run(run);
  }

  /**
   * Runs a task that can be repeated later.
   *
   * @param urgency work of a greater one begins first
   * @throws TooManyRequests when its turn did not come in time; what the task throws
   */
  async work<Result>(run: () => Promise<Result>, urgency = 0): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { begin: resolve, isAnswer: false, urgency };
    const timer = setTimeout(() => {
      this.#work.splice(this.#work.indexOf(waiting), 1);
      reject(new TooManyRequests());
    }, this.#patienceMs);
    this.#add(this.#work, waiting);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
    }
    return this.#run(run);
  }

  #add(queue: Waiting[], waiting: Waiting): void {
    const later = queue.findIndex(({ urgency }) => urgency < waiting.urgency);
    queue.splice(later < 0 ? queue.length : later, 0, waiting);
    this.#beginNext();
  }

  #beginNext(): void {
    if (this.#free === 0) return;
    const isWorksTurn = this.#answers.length === 0 || (this.#inARow >= answersInARow && this.#work.length > 0);
    const next = (isWorksTurn ? this.#work : this.#answers).shift();
    if (next === undefined) return;
    this.#inARow = next.isAnswer ? this.#inARow + 1 : 0;
    this.#free -= 1;
    next.begin();
  }

  async #run<Result>(run: () => Promise<Result>): Promise<Result> {
    let hasTurn = true;
    const endTurn = () => {
      if (!hasTurn) return;
      hasTurn = false;
      this.#free += 1;
      this.#beginNext();
    };
    // A look that davit stops never ends.
    const timer = setTimeout(endTurn, this.#turnMs).unref();
    try {
      return await run();
    } finally {
      clearTimeout(timer);
      endTurn();
    }
  }
}
