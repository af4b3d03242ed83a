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

/** The time from a function's invocation to its answer. States that run no function are left, too. */
function tasksOf(events: readonly StateEvent[]): Interval[] {
  return events.flatMap(({ type, state, atEpochMs }, index) => {
    if (type !== 'attempted') return [];
    const isEnd = (event: StateEvent) => event.state === state && (event.type === 'left' || event.type === 'failed');
    const endEpochMs = events.slice(index).find(isEnd)?.atEpochMs ?? Number.POSITIVE_INFINITY;
    return [{ startEpochMs: atEpochMs, endEpochMs }];
  });
}
