/** How much a queue of messages is in use. */
export interface QueueUse {
  /** The runners that take its jobs. */
  runners: number;
  /** The jobs that the CI system has handed to it, and that are not over. */
  jobs: number;
}

/**
 * Removes the queue of messages that a CI system keeps for davit, for a person who stops using it. The methods throw as those
 * of `CiSystem` do.
 */
export interface QueueRemoval {
  /** @param group the runners' group. @returns undefined if there is no queue */
  queueUse(group: string | undefined): Promise<QueueUse | undefined>;

  /**
   * Removes the queue and its session, also another program's. A davit that runs makes it again.
   *
   * @param group the runners' group
   * @returns 'gone' if there was none
   */
  removeQueue(group: string | undefined): Promise<'removed' | 'gone'>;
}
