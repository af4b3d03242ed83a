/** The time that containers have to end by themselves; it can be made shorter while it runs, not longer. */
export class GracePeriod {
  /** Resolves when the time is up. */
  readonly over: Promise<void>;
  readonly #end: () => void;
  #endsEpochMs = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(durationMs: number) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.over = promise;
    this.#end = resolve;
    this.shortenTo(durationMs);
  }

  /** Ends it `durationMs` from now, unless it ends earlier anyway. */
  shortenTo(durationMs: number): void {
    const endsEpochMs = Date.now() + durationMs;
    if (endsEpochMs < this.#endsEpochMs) {
      clearTimeout(this.#timer);
      this.#endsEpochMs = endsEpochMs;
      this.#timer = setTimeout(this.#end, Math.max(0, durationMs)); // a Pod's own may be negative
    }
  }

  /** Lets go of the timer: nobody waits any more. */
  clear(): void {
    clearTimeout(this.#timer);
  }
}
