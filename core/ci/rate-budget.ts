import { EpochMs } from '../epoch-ms.ts';
import * as z from '../zod.ts';

/** The part of a CI system's rate limit that reconciling may use, unless its config says otherwise. */
export const defaultRateLimitShare = 0.25;

/** How long a window of a rate limit is, in milliseconds: GitHub's. */
const windowMs = 3_600_000;

/** How much of its share reconciling may use ahead of time, in milliseconds of the window. */
const aheadMs = 300_000;

/** Reconciling's use of a CI system's rate limit. */
export const RateSpent = z.object({
  /** The requests that the window allows to all users of davit's credential; absent when unknown. */
  limit: z.optional(z.int().check(z.positive())),
  /** When the window ends, and `used` with it. */
  resetsAtEpochMs: EpochMs,
  /** The requests that reconciling has made in the window. */
  used: z.int().check(z.gte(0)),
  /** Until then the CI system accepts no requests. */
  pausedUntilEpochMs: z.optional(EpochMs),
  atEpochMs: EpochMs,
});
export type RateSpent = z.infer<typeof RateSpent>;

/** Why reconciling leaves a CI system alone, and until when. */
export interface RatePause {
  untilEpochMs: number;
  reason: string;
}

/**
 * Decides whether reconciling may ask a CI system. Spreads its share of the rate limit over the window, so that the
 * first rounds leave enough for the later ones.
 *
 * @param share from 0 to 1
 * @returns undefined when it may
 */
export function ratePause(spent: RateSpent | undefined, share: number, nowEpochMs: number): RatePause | undefined {
  const { pausedUntilEpochMs = 0, resetsAtEpochMs = 0, limit, used = 0 } = spent ?? {};
  if (nowEpochMs < pausedUntilEpochMs) {
    return { untilEpochMs: pausedUntilEpochMs, reason: 'the CI system accepts no requests' };
  }
  if (limit === undefined || nowEpochMs >= resetsAtEpochMs) return undefined;
  const startedAtEpochMs = resetsAtEpochMs - windowMs;
  const earnedAtEpochMs = startedAtEpochMs + (used / (share * limit)) * windowMs - aheadMs;
  if (nowEpochMs >= earnedAtEpochMs) return undefined;
  const reason = `reconciling has made ${used} requests, its share of the rate limit of ${limit} an hour is ${share}`;
  return { untilEpochMs: Math.ceil(Math.min(earnedAtEpochMs, resetsAtEpochMs)), reason };
}

/** How many requests a round may make at least, however little of its share is left: later rounds pause for them. */
const leastRequests = 10;

/**
 * Says how many requests a round may make that `ratePause` lets ask: what the time so far has earned, and some ahead of
 * time, without those made already.
 *
 * @param share from 0 to 1
 * @returns Infinity for a CI system without a known limit
 */
export function roundRequests(spent: RateSpent | undefined, share: number, nowEpochMs: number): number {
  const { limit, used, resetsAtEpochMs } = spent ?? { limit: undefined, used: 0, resetsAtEpochMs: 0 };
  if (limit === undefined) return Infinity;
  const isOver = nowEpochMs >= resetsAtEpochMs;
  const elapsedMs = isOver ? 0 : nowEpochMs - (resetsAtEpochMs - windowMs);
  const earned = (share * limit * (elapsedMs + aheadMs)) / windowMs;
  return Math.max(leastRequests, Math.floor(earned - (isOver ? 0 : used)));
}

/** Says how many requests a minute may make on average. @returns Infinity for a CI system without a known limit */
export function minuteRequests(spent: Pick<RateSpent, 'limit'> | undefined, share: number): number {
  return spent?.limit === undefined ? Infinity : (share * spent.limit * 60_000) / windowMs;
}

/** The requests of one round. */
export interface RateUse {
  requests: number;
  limit?: { requests: number; resetsAtEpochMs: number };
  pausedUntilEpochMs?: number;
}

/** Adds the requests of a round. @returns undefined for a CI system without a known limit */
export function addToSpent(before: RateSpent | undefined, use: RateUse, nowEpochMs: number): RateSpent | undefined {
  const { requests, limit, pausedUntilEpochMs } = use;
  if (limit === undefined && pausedUntilEpochMs === undefined) return undefined;
  const goesOn = before !== undefined && nowEpochMs < before.resetsAtEpochMs;
  const known = limit?.requests ?? (goesOn ? before.limit : undefined);
  // Credentials have windows of their own; the first known one counts until it ends.
  const resetsAtEpochMs = goesOn ? before.resetsAtEpochMs : (limit?.resetsAtEpochMs ?? nowEpochMs + windowMs);
  return {
    ...(known === undefined ? {} : { limit: known }),
    resetsAtEpochMs,
    used: (goesOn ? before.used : 0) + requests,
    ...(pausedUntilEpochMs === undefined ? {} : { pausedUntilEpochMs }),
    atEpochMs: nowEpochMs,
  };
}
