import { AsyncLocalStorage } from 'node:async_hooks';
import type { HttpRequest } from './request.ts';

/** How long a function repeats what fails. */
export interface AnswerTimes {
  /** From the moment that API Gateway received the request, in milliseconds. */
  retryMs: number;
  nowEpochMs: () => number;
}

/**
 * The moment from which a function answers rather than repeats what fails. Each request has its own, and several may be
 * under way in one process.
 */
export class AnswerDeadline {
  readonly #times: AnswerTimes;
  readonly #endsAtEpochMs = new AsyncLocalStorage<number>();

  constructor(times: AnswerTimes) {
    this.#times = times;
  }

  run<Answer>({ receivedAtEpochMs }: Pick<HttpRequest, 'receivedAtEpochMs'>, answer: () => Answer): Answer {
    const { retryMs, nowEpochMs } = this.#times;
    // API Gateway's clock may be ahead.
    return this.#endsAtEpochMs.run(Math.min(receivedAtEpochMs, nowEpochMs()) + retryMs, answer);
  }

  /** @returns milliseconds, negative after the moment; Infinity outside of `run` */
  remainingMs(): number {
    const endsAtEpochMs = this.#endsAtEpochMs.getStore();
    return endsAtEpochMs === undefined ? Infinity : endsAtEpochMs - this.#times.nowEpochMs();
  }
}
