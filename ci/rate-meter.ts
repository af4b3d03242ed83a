import { isoTime } from '../core/epoch-ms.ts';
import { TransientError } from '../core/errors/errors.ts';
import type { CiUsage } from '../ports/ci-system.ts';

/** Reads an answer's header by its name in lower case. */
export type HeaderReader = (name: string) => string | undefined;

/** What a CI system answered: as much as tells whether it throttles davit. */
export interface Answered {
  status: number;
  header: HeaderReader;
  /** The message of an error, or empty. */
  words: string;
}

/**
 * The pause after an answer that throttles and does not say for how long, in milliseconds. It doubles for as long as such
 * answers follow one another.
 */
const shortestPauseMs = 60_000;

/** The longest pause because of one answer, in milliseconds: the answer may be wrong. */
const longestPauseMs = 3_600_000;

/** Counts the requests to a CI system, and follows the rate limit in its answers. */
export interface RateMeter {
  /** Counts one request that may count against the rate limit. @throws TransientError CiUnavailable while the CI system has asked for none */
  begin(what: string): void;
  /**
   * Reads the rate limit and the time from an answer.
   *
   * @param credential tells windows apart: each credential has one of its own
   */
  heed(credential: string, answered: Answered): void;
  usage(): CiUsage;
}

/** Makes a meter. @see https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api */
export function createRateMeter(nowEpochMs: () => number = Date.now): RateMeter {
  const windows = new Map<string, NonNullable<CiUsage['limit']>>();
  let requests = 0;
  let sent = 0;
  let pausedUntilEpochMs = 0;
  let nextPauseMs = shortestPauseMs;
  let clockAheadMs: number | undefined;

  return {
    begin: (what) => {
      if (nowEpochMs() < pausedUntilEpochMs) {
        const until = isoTime(pausedUntilEpochMs);
        throw new TransientError('CiUnavailable', `${what}: the CI system accepts no requests until ${until}`);
      }
      requests += 1;
      sent += 1;
    },
    heed: (credential, answered) => {
      const now = nowEpochMs();
      // GitHub counts no request for something that has not changed.
      if (answered.status === 304) requests -= 1;
      clockAheadMs = aheadOf(answered.header('date'), now) ?? clockAheadMs;
      const window = windowOf(answered.header, clockAheadMs);
      if (window !== undefined) windows.set(credential, window);
      const untilEpochMs = pauseOf(answered, now, clockAheadMs);
      // A moment that is over says nothing: the clocks may differ, and not every answer has a time.
      if (untilEpochMs !== undefined && untilEpochMs > now) {
        pausedUntilEpochMs = Math.max(pausedUntilEpochMs, Math.min(untilEpochMs, now + longestPauseMs));
        return;
      }
      // The answers to requests that began before the pause neither lengthen it nor end it.
      if (now < pausedUntilEpochMs) return;
      if (isThrottled(answered)) {
        pausedUntilEpochMs = now + nextPauseMs;
        nextPauseMs = Math.min(2 * nextPauseMs, longestPauseMs);
      } else {
        nextPauseMs = shortestPauseMs;
      }
    },
    usage: () => {
      const now = nowEpochMs();
      const [limit] = [...windows.values()]
        .filter(({ resetsAtEpochMs }) => resetsAtEpochMs > now)
        .toSorted((one, other) => one.left / one.requests - other.left / other.requests);
      return {
        requests,
        ...(sent === requests ? {} : { sent }),
        ...(limit === undefined ? {} : { limit }),
        ...(clockAheadMs === undefined ? {} : { clockAheadMs }),
        ...(pausedUntilEpochMs > now ? { pausedUntilEpochMs } : {}),
      };
    },
  };
}

/** The time of an answer is cut to the second: on average it is half a second later. */
function aheadOf(date: string | undefined, nowEpochMs: number): number | undefined {
  const aheadMs = Date.parse(date ?? '') + 500 - nowEpochMs;
  return Number.isNaN(aheadMs) ? undefined : aheadMs;
}

/**
 * GitHub's words for a secondary limit, today and in older versions of its server. Such an answer may have no header that
 * tells it from a missing permission.
 */
const secondaryLimit = /secondary rate limit|abuse detection/i;

/** Says whether an answer throttles davit. GitHub also throttles with 403, and says so in its headers or its words. */
export function isThrottled({ status, header, words }: Answered): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  return header('retry-after') !== undefined || header('x-ratelimit-remaining') === '0' || secondaryLimit.test(words);
}

/** @param clockAheadMs how far the CI system's clock is ahead, by which it says when the window ends */
function windowOf(header: HeaderReader, clockAheadMs = 0): CiUsage['limit'] {
  const [requests, left, resetSeconds] = ['limit', 'remaining', 'reset'].map((name) =>
    Number(header(`x-ratelimit-${name}`) ?? Number.NaN),
  );
  if (requests === undefined || left === undefined || resetSeconds === undefined) return undefined;
  // A comparison with NaN is false.
  return requests > 0 && left >= 0 && resetSeconds > 0
    ? { requests, left, resetsAtEpochMs: resetSeconds * 1000 - clockAheadMs }
    : undefined;
}

/** @returns when the pause that an answer demands is over; undefined when it does not say */
function pauseOf(answered: Answered, nowEpochMs: number, clockAheadMs = 0): number | undefined {
  const { status, header } = answered;
  const retryAfter = header('retry-after');
  const throttles = isThrottled(answered);
  if (retryAfter !== undefined && (throttles || status === 503)) return momentOf(retryAfter, nowEpochMs, clockAheadMs);
  if (!throttles) return spentUntil(header, clockAheadMs);
  const window = windowOf(header, clockAheadMs);
  if (window?.left === 0) return window.resetsAtEpochMs;
  return throttledUntil(header, nowEpochMs) ?? spentUntil(header, clockAheadMs);
}

/**
 * Reads until when Buildkite throttles: it says how many seconds are left, of a window of one second. Each of its endpoints
 * has its own window, so one that is used up without a refusal makes no pause.
 *
 * @see https://buildkite.com/docs/apis/agent-api/stacks#rate-limiting
 */
function throttledUntil(header: HeaderReader, nowEpochMs: number): number | undefined {
  const left = header('ratelimit-reset') ?? '';
  return /^\d{1,6}$/.test(left) ? nowEpochMs + Math.max(1, Number(left)) * 1000 : undefined;
}

/**
 * Reads until when GitLab's window of a minute is used up. The last answer before it throttles says so, too.
 *
 * @see https://docs.gitlab.com/administration/settings/user_and_ip_rate_limits/#response-headers
 */
function spentUntil(header: HeaderReader, clockAheadMs: number): number | undefined {
  const resetSeconds = Number(header('ratelimit-reset') ?? Number.NaN);
  return header('ratelimit-remaining') === '0' && resetSeconds > 0 ? resetSeconds * 1000 - clockAheadMs : undefined;
}

/** @see https://www.rfc-editor.org/rfc/rfc9110.html#field.retry-after */
function momentOf(retryAfter: string, nowEpochMs: number, clockAheadMs: number): number | undefined {
  const epochMs = /^\d+$/.test(retryAfter)
    ? nowEpochMs + Number(retryAfter) * 1000
    : Date.parse(retryAfter) - clockAheadMs;
  return Number.isNaN(epochMs) ? undefined : epochMs;
}
