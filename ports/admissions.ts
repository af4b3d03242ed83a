import type { LaunchId } from '../core/launch/names.ts';

/** Requests that jobs get the slots of a launch that is over, which happens even if the requesting process dies. */
export interface Admissions {
  /** Returns once the request is durable. @throws TransientError StoreUnavailable */
  request(launchId: LaunchId): Promise<void>;
}
