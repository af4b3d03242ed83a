import type { CiScope } from '../core/ci/ci-scope.ts';
import type { NewRunner } from './ci-system.ts';
import type { QueuedRunners } from './job-queue.ts';

/** A webhook that a CI system has. */
export interface CiWebhook {
  url: string;
  isActive: boolean;
  /** Whether it sends the events of jobs. */
  sendsJobs: boolean;
  /** The HTTP status of the latest answer; absent where the system does not tell it, or nothing was delivered. */
  lastStatus?: number;
}

/**
 * Checks of a CI system that change nothing for its jobs, for `davit doctor`. Every method may throw TransientError CiUnavailable, and
 * TerminalError CiRefused in the system's words.
 */
export interface CiInspection {
  /** Checks that runners may join the group. Does nothing for a system without groups. @throws TerminalError CiRefused */
  checkGroup(scope: CiScope, runner: Pick<NewRunner, 'group' | 'repositories'>): Promise<void>;

  /**
   * Checks that davit may make, connect, stop and remove runners, with one that never runs anything. Absent where the
   * other checks show that.
   */
  checkRunners?(): Promise<void>;

  /** Checks that the queue of messages can be read, or made. Absent where there is none. */
  checkQueue?(runners: QueuedRunners): Promise<void>;

  /** Lists the webhooks of a scope; where davit acts as an App, that App's only one. */
  listWebhooks(scope: CiScope): Promise<CiWebhook[]>;
}
