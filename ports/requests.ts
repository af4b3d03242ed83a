import type { JobRefused } from '../core/events/job-events.ts';
import type { CommitReport } from '../core/job/commit-report.ts';
import type { Actor } from '../core/launch/launch-record.ts';
import type { LaunchId } from '../core/launch/names.ts';
import type { NamedJob } from './ci-system.ts';

// Requests to other functions. Each returns once it is durable, so what it asks for happens even if the requesting process
// dies. Each throws TransientError StoreUnavailable.

/** Requests that a launch's clean-up runs soon. */
export interface CleanUps {
  request(launchId: string): Promise<void>;
}

/** Requests that jobs get the slots of a launch that is over. */
export interface Admissions {
  request(launchId: LaunchId): Promise<void>;
}

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

/** Requests the removal of a launch's runner from its CI system. */
export interface Retirements {
  request(retirement: Retirement): Promise<void>;
}

/** Requests a report on a commit, for a function that may not write one itself. */
export interface CommitReports {
  request(report: CommitReport): Promise<void>;
}

/** Requests that davit sends the event of a refused job. */
export interface Refusals {
  tell(refused: JobRefused): Promise<void>;
}

/** Requests that a CI system is polled now. */
export interface Polls {
  /** Asks for one job. */
  requestJob(ciSystem: string, job: NamedJob): Promise<void>;
  /** Polls the CI system whole, once. @param atEpochMs when; a few seconds ahead at most */
  request(ciSystem: string, atEpochMs: number): Promise<void>;
}

/** Requests looks at clusters. */
export interface Probes {
  /** Asks for a look at a cluster a call to which has failed. */
  request(cluster: string): Promise<void>;
  /** Asks for looks at a cluster for as long as launches are under way there. */
  requestWatch(cluster: string): Promise<void>;
}
