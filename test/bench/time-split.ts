import type { StateEvent } from '../on-cluster/messages.ts';
import type { ApiCall } from './audit-log.ts';
import { coveredMs, type Interval } from './statistics.ts';
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
  const tasks = tasksOf(events);
  const inTasks = coveredMs(tasks, whole);
  const kubernetes = coveredMs(calls, whole);
  return {
    kubernetes,
    functions: Math.max(0, inTasks - kubernetes),
    engine: publishedEpochMs - acceptedEpochMs - Math.max(inTasks, kubernetes),
  };
}

/** The time from a function's invocation to its answer. */
function tasksOf(events: readonly StateEvent[]): Interval[] {
  const starts = events.filter(({ type }) => type === 'attempted');
  const ends = events.filter(({ type }) => type === 'left' || type === 'failed');
  return starts.map(({ atEpochMs }, index) => ({
    startEpochMs: atEpochMs,
    endEpochMs: ends[index]?.atEpochMs ?? Number.POSITIVE_INFINITY,
  }));
}
