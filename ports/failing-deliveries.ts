import type { FailingDelivery } from '../core/ci/failing-delivery.ts';

/** The webhooks that have not arrived yet. Any method may throw TransientError StoreUnavailable. */
export interface FailingDeliveries {
  /** Lists those of a CI system that are not settled; strongly consistent. */
  list(ciSystem: string): Promise<FailingDelivery[]>;
  /** Stores one in place of what was known of it, unless that is of a later moment. */
  keep(ciSystem: string, delivery: FailingDelivery, atEpochMs: number): Promise<void>;
}
