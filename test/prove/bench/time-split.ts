import type { ApiCall } from './audit-log.ts';
import { attemptsIn } from './looks.ts';
import { coveredMs } from './statistics.ts';
import type { Timeline } from './timelines.ts';

/** The parts of a launch's duration, in milliseconds. They add up to the whole. */
export interface TimeSplit {
  /** The API server's work, and the cluster's placement of the Pod. */
  kubernetes: number;
  /** The rest of the functions' time: davit's own code, its store and its client of Kubernetes. */
  functions: number;
  /** The state machine, between the functions. */
  engine: number;
}

/**
 * Splits the time from an accepted webhook to a published token. Correct only for a single launch: concurrent launches'
 * calls would count for each other.
 */
export function splitTime(
  { acceptedEpochMs, events }: Timeline,
  publishedEpochMs: number,
  calls: readonly ApiCall[],
): TimeSplit {
  const whole = { startEpochMs: acceptedEpochMs, endEpochMs: publishedEpochMs };
  const inTasks = coveredMs(attemptsIn(events), whole);
  const kubernetes = coveredMs(calls, whole);
  return {
    kubernetes,
    functions: Math.max(0, inTasks - kubernetes),
    engine: publishedEpochMs - acceptedEpochMs - Math.max(inTasks, kubernetes),
  };
}
