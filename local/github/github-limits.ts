import type { Answer } from './route.ts';

/** How a GitHub limits its clients, as its documentation says. */
export interface GithubLimits {
  /** How many requests one credential may make in an hour. */
  requestsAnHour: number;
  /** How many points it may spend in a minute: a read costs 1, and everything else 5. @default 900 */
  pointsAMinute?: number;
  /** @default the process's clock */
  nowEpochMs?: () => number;
}

/** An answer that a limit has judged. */
export interface LimitedAnswer {
  /** GitHub's refusal; undefined when the request may go on. */
  refusal: Answer | undefined;
  headers: Record<string, string>;
}

const hourMs = 3_600_000;
const minuteMs = 60_000;

/**
 * Counts requests against GitHub's primary and secondary rate limit.
 *
 * @see https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
 */
export class RateCounter {
  readonly #limits: Required<GithubLimits>;
  #hour = { beganAtEpochMs: -Infinity, used: 0 };
  #minute = { beganAtEpochMs: -Infinity, points: 0 };

  constructor(limits: GithubLimits) {
    this.#limits = { pointsAMinute: 900, nowEpochMs: Date.now, ...limits };
  }

  /** Judges a request before it takes effect. It counts from then on. */
  begin(method: string): LimitedAnswer {
    const now = this.#limits.nowEpochMs();
    if (now - this.#hour.beganAtEpochMs >= hourMs) this.#hour = { beganAtEpochMs: now, used: 0 };
    if (now - this.#minute.beganAtEpochMs >= minuteMs) this.#minute = { beganAtEpochMs: now, points: 0 };
    if (this.#hour.used >= this.#limits.requestsAnHour) {
      return { refusal: refused('API rate limit exceeded'), headers: this.#headers() };
    }
    const points = method === 'GET' ? 1 : 5;
    if (this.#minute.points + points > this.#limits.pointsAMinute) {
      const seconds = Math.ceil((this.#minute.beganAtEpochMs + minuteMs - now) / 1000);
      const message = 'You have exceeded a secondary rate limit';
      return { refusal: refused(message), headers: { ...this.#headers(), 'retry-after': `${seconds}` } };
    }
    this.#minute.points += points;
    this.#hour.used += 1;
    return { refusal: undefined, headers: this.#headers() };
  }

  /** Takes back a request whose answer is that nothing has changed. @returns the headers of the answer */
  unchanged(): Record<string, string> {
    this.#hour.used -= 1;
    return this.#headers();
  }

  #headers(): Record<string, string> {
    const { requestsAnHour } = this.#limits;
    return {
      'x-ratelimit-limit': `${requestsAnHour}`,
      'x-ratelimit-remaining': `${requestsAnHour - this.#hour.used}`,
      'x-ratelimit-used': `${this.#hour.used}`,
      // By the clock that the limits follow.
      date: new Date(this.#limits.nowEpochMs()).toUTCString(),
      'x-ratelimit-reset': `${Math.ceil((this.#hour.beganAtEpochMs + hourMs) / 1000)}`,
    };
  }
}

function refused(message: string): Answer {
  return { status: 403, body: { message } };
}
