/** Something that happens in the simulated hours. */
type Action = () => Promise<void>;

/** A clock that jumps from one action to the next. Actions happen one after another, in the order of their seconds. */
export class VirtualTime {
  #nowEpochMs: number;
  #second: number;
  readonly #due = new Map<number, Action[]>();

  constructor(beginEpochMs: number) {
    this.#nowEpochMs = beginEpochMs;
    this.#second = Math.floor(beginEpochMs / 1000);
  }

  readonly nowEpochMs = (): number => this.#nowEpochMs;

  /** Lets something take time. Nothing happens in the meantime: what is due happens late. */
  spend(ms: number): void {
    this.#nowEpochMs += ms;
  }

  after(ms: number, action: Action): void {
    const second = Math.max(this.#second + 1, Math.ceil((this.#nowEpochMs + ms) / 1000));
    this.#due.set(second, [...(this.#due.get(second) ?? []), action]);
  }

  /** Lets happen what is due until then. */
  async runUntil(epochMs: number): Promise<void> {
    while (this.#second < Math.floor(epochMs / 1000)) {
      this.#second += 1;
      this.#nowEpochMs = Math.max(this.#nowEpochMs, this.#second * 1000);
      const actions = this.#due.get(this.#second) ?? [];
      this.#due.delete(this.#second);
      for (const action of actions) await action();
    }
  }
}
