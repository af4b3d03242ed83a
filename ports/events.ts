import type { ClusterEvent } from '../core/events/cluster-events.ts';
import type { JobRefusedEvent } from '../core/events/job-events.ts';
import type { LifecycleEvent } from '../core/events/lifecycle-events.ts';
import type { LimitEvent } from '../core/events/limit-event.ts';
import type { RepairEvent } from '../core/events/repair-event.ts';
import type { SweepEvent } from '../core/events/sweep-event.ts';

/** Any event of davit's. */
export type DavitEvent = LifecycleEvent | ClusterEvent | JobRefusedEvent | LimitEvent | RepairEvent | SweepEvent;

/** Publishes events, for CI servers, dashboards and alerts. */
export interface Events<Event extends DavitEvent = DavitEvent> {
  /**
   * Sends one event. A repeated event has the same id and content.
   *
   * @param traceHeader the launch's trace, which listeners continue
   * @throws TransientError StoreUnavailable when a later attempt may succeed; Error when none will
   */
  send: (event: Event, traceHeader?: string) => Promise<void>;
}
