import type { CiRunner, RepositoryName } from '../core/ci/ci-scope.ts';

/**
 * What a message says of one job. It names the job by its run and its name alone: `jobsOfRun` of the CI system has
 * its id.
 */
export interface JobNews {
  /** `completed` also when only the assignment ended, and the CI system assigns the job again. */
  kind: 'assigned' | 'started' | 'completed';
  repository: RepositoryName;
  runId: number;
  /** The job's name as people see it. */
  name: string;
  labels: readonly string[];
  /** The runner that has or had the job; absent before any runner has. */
  runner?: CiRunner;
}

/** A message of a queue. It comes again until it is acknowledged. */
export interface QueueMessage {
  id: number;
  news: readonly JobNews[];
  /** The ids of jobs that are davit's if it asks for them. */
  offers: readonly number[];
  /** Whether there may be more news than the message has room for. */
  isCut: boolean;
  /** The parts that could not be read, in words. */
  unread: readonly string[];
  /** How many jobs the queue has handed to davit that are not over. */
  assigned: number;
}

/** The runners for whose jobs there is a queue: all alike. The fields are those of a new runner. */
export interface QueuedRunners {
  labels: readonly string[];
  group?: string;
  repositories?: readonly string[];
}

/**
 * A queue of messages about jobs, which the CI system keeps for davit. One session at a time may read it. The methods throw
 * as those of `CiSystem` do.
 */
export interface JobQueue {
  /**
   * Makes the queue if there is none, and opens a session, or goes on with an earlier one.
   *
   * @param sessionId that of an earlier call, of any process
   * @returns the session's id, which is another one when the CI system no longer has the earlier one
   * @throws TransientError CiUnavailable also while somebody else has a session
   */
  open(runners: QueuedRunners, sessionId?: string): Promise<string>;

  /**
   * Waits for the next message of the open session.
   *
   * @param asked.capacity how many jobs davit takes at once, with those that it has: the CI system hands out no more
   * @param asked.waitMs how long to wait. @param asked.stopping ends the wait
   * @returns undefined when none came
   */
  next(asked: {
    lastMessageId: number;
    capacity: number;
    waitMs: number;
    stopping?: AbortSignal | undefined;
  }): Promise<QueueMessage | undefined>;

  /** Asks for jobs that were offered. @returns those that are davit's now: others are cancelled, or somebody else's */
  acquire(offers: readonly number[]): Promise<readonly number[]>;

  /** Says that a message is dealt with. One that is gone is success. */
  acknowledge(messageId: number): Promise<void>;
}
