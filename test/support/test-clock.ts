interface Timer {
  atEpochMs: number;
  fire: () => void;
}

/**
 * A clock that stands still while work is pending, and then jumps to the next awaited moment. Work must consist of
 * promises alone, as all in-memory work does.
 */
export class TestClock {
  #nowEpochMs: number;
  #timers: Timer[] = [];
  #sleepers = 0;

  constructor(startEpochMs: number) {
    this.#nowEpochMs = startEpochMs;
  }

  /** In whole milliseconds, as a clock tells the time. */
  readonly nowEpochMs = (): number => Math.floor(this.#nowEpochMs);

  /** Advances the time without a waiter. */
  advance(ms: number): void {
    this.#nowEpochMs += ms;
  }

  /** Runs a function after this much time; does not advance the time itself. */
  after(ms: number, action: () => void): void {
    this.#timers.push({ atEpochMs: this.#nowEpochMs + ms, fire: action });
  }

  /** Resolves after the time, or at once when the signal is aborted. */
  readonly sleepMs = async (ms: number, signal?: AbortSignal): Promise<void> => {
    if (signal?.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = { atEpochMs: this.#nowEpochMs + ms, fire: wake };
      const timers = () => (this.#timers = this.#timers.filter((other) => other !== timer));
      function wake(): void {
        timers();
        signal?.removeEventListener('abort', wake);
        resolve();
      }
      signal?.addEventListener('abort', wake);
      this.#timers.push(timer);
      this.#sleepers += 1;
      if (this.#sleepers === 1) this.#turn();
    });
    this.#sleepers -= 1;
  };

  #turn(): void {
    setImmediate(() => {
      if (this.#sleepers === 0) return;
      const next = this.#timers.toSorted((one, other) => one.atEpochMs - other.atEpochMs)[0];
      if (next !== undefined) {
        this.#timers = this.#timers.filter((timer) => timer !== next);
        this.#nowEpochMs = Math.max(this.#nowEpochMs, next.atEpochMs);
        next.fire();
      }
      this.#turn();
    });
  }
}
