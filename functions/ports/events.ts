import type { ClusterEvent } from '../domain/cluster-events.ts';
import type { JobRefusedEvent } from '../domain/job-events.ts';
import type { LifecycleEvent } from '../domain/lifecycle-events.ts';
import type { LimitEvent } from '../domain/limit-event.ts';
import type { RepairEvent } from '../domain/repair-event.ts';
import type { SweepEvent } from '../domain/sweep-event.ts';

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
