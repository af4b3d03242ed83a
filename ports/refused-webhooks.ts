import type { RefusedWebhooks } from '../core/ci/refused-webhooks.ts';

/** Refused deliveries of one CI system. */
export interface Refusal {
  ciSystem: string;
  count: number;
  /** Why the last one was refused, for people. */
  why: string;
  atEpochMs: number;
}

/** What davit remembers of webhooks that it refused. Any method may throw TransientError StoreUnavailable. */
export interface RefusedWebhookStore {
  /** Adds refusals to those of the last hour. After an hour without any, the count starts anew. */
  note(refusal: Refusal): Promise<void>;
  /** @returns undefined while none is known of this CI system */
  get(ciSystem: string): Promise<RefusedWebhooks | undefined>;
}
