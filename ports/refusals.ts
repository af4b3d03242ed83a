import type { JobRefused } from '../core/events/job-events.ts';

/** Requests that davit sends the event of a refused job, which happens even if the requesting process dies. */
export interface Refusals {
  /** Returns once the request is durable. @throws TransientError StoreUnavailable */
  tell(refused: JobRefused): Promise<void>;
}
