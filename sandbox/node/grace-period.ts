/** The time that containers have to end by themselves. It can be shortened while it runs, but not extended. */
export class GracePeriod {
  /** Resolves when the grace period is over. */
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

  /** Ends the grace period `durationMs` from now, unless it ends earlier. */
  shortenTo(durationMs: number): void {
    const endsEpochMs = Date.now() + durationMs;
    if (endsEpochMs < this.#endsEpochMs) {
      clearTimeout(this.#timer);
      this.#endsEpochMs = endsEpochMs;
      this.#timer = setTimeout(this.#end, Math.max(0, durationMs)); // a Pod's grace period can be negative
    }
  }

  /** Clears the timer when no caller waits any more. */
  clear(): void {
    clearTimeout(this.#timer);
  }
}
