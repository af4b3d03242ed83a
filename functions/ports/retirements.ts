import type { LaunchId } from '../domain/names.ts';

/** What a retirement is asked with. */
export interface Retirement {
  launchId: LaunchId;
  /** Why the launch is no longer wanted, for people. */
  reason: string;
  /** Who asks: `reconcile`, `clean-up`. */
  by: string;
}

/** Requests that a launch's runner is taken out of its CI system soon, even if the requesting process dies. */
export interface Retirements {
  /** Returns once the request is durable. @throws TransientError StoreUnavailable */
  request(retirement: Retirement): Promise<void>;
}
