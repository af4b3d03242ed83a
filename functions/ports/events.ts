import type { LifecycleEvent } from '../domain/lifecycle-events.ts';
import type { SweepEvent } from '../domain/sweep-event.ts';

/** Tells whoever listens what happens: a CI server, a dashboard, a person's pager. */
export interface Events {
  /**
   * Sends one event. Sent again, it says the same under the same id.
   *
   * @param traceHeader of the launch, so that what listens goes on in its trace
   * @throws TransientError StoreUnavailable when it may be sent later; Error when it never will be
   */
  send(event: LifecycleEvent | SweepEvent, traceHeader?: string): Promise<void>;
}
