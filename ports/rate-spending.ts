import type { RateSpent } from '../core/ci/rate-budget.ts';

/** Reconciling's use of the CI systems' rate limits. Any method may throw TransientError StoreUnavailable. */
export interface RateSpending {
  get(ciSystem: string): Promise<RateSpent | undefined>;
  /** Stores the use, unless a newer one is stored. */
  keep(ciSystem: string, spent: RateSpent): Promise<void>;
}
