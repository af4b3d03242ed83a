import { minuteRequests } from './rate-budget.ts';
import { askingShares, mostSentInRound, secondNetMinutes } from './round-shares.ts';

/** What decides how many lists of jobs a round reads. */
export interface ListsBudget {
  /** The requests in an hour that the CI system allows; absent without a known limit. */
  limit?: number;
  /** The part of it that reconciling may use, from 0 to 1. */
  share: number;
  /** What one list costs, in requests. */
  requestsOfList: number;
  /** Whether davit reads the CI system's own list of deliveries. */
  hasDeliveries: boolean;
}

/**
 * Says how many lists of jobs a round reads on average, of those that have changed.
 *
 * @returns Infinity for a CI system without a known limit: its time alone bounds a round
 */
export function listsInRound({ limit, share, requestsOfList, hasDeliveries }: ListsBudget): number {
  if (limit === undefined) return Infinity;
  const ofMinute = minuteRequests({ limit }, share);
  const most = askingShares.jobLists * Math.min(ofMinute, mostSentInRound);
  return Math.min(most, hasDeliveries ? secondNetMinutes * ofMinute : Infinity) / requestsOfList;
}
