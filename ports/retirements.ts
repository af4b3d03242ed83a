import type { Actor } from '../core/launch/launch-record.ts';
import type { LaunchId } from '../core/launch/names.ts';

/** A request for a retirement. */
export interface Retirement {
  launchId: LaunchId;
  /** Why the launch is no longer wanted, for people. */
  reason: string;
  /** The function that asks: `reconcile`, `clean-up`. */
  by: string;
  /** The actor that asks, for audits. */
  actor: Actor;
  /** The job that the agent ran and that is over, as its CI system says. @default a busy agent is left alone */
  finishedJobKey?: string;
}

/** Requests the removal of a launch's runner from its CI system, which happens even if the requesting process dies. */
export interface Retirements {
  /** Returns once the request is durable. @throws TransientError StoreUnavailable */
  request(retirement: Retirement): Promise<void>;
}
