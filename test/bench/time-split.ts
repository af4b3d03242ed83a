import type { ServiceRequest, StateEvent } from '../on-cluster/messages.ts';
import type { ApiCall } from './audit-log.ts';
import { coveredMs, type Interval } from './statistics.ts';
import type { Timeline } from './timelines.ts';

/** The parts of a launch's duration, in milliseconds. They add up to the whole. */
export interface TimeSplit {
  /** The API server's work, and the cluster's placement of the Pod. */
  kubernetes: number;
  /** The local stand-ins for DynamoDB and the other services that functions call. */
  services: number;
  /** The rest of the functions' time: davit's own code, the clients and the transport. */
  functions: number;
  /** The local stand-in for Step Functions, between the functions. */
  engine: number;
}

/**
 * Splits the time from an accepted webhook to a published token. Correct only for a single launch: concurrent launches'
 * requests would count for each other.
 */
export function splitTime(
  { acceptedEpochMs, events }: Timeline,
  publishedEpochMs: number,
  calls: readonly ApiCall[],
  requests: readonly ServiceRequest[],
): TimeSplit {
  const whole = { startEpochMs: acceptedEpochMs, endEpochMs: publishedEpochMs };
  const tasks = tasksOf(events);
  const asked = requests.filter(({ service }) => service === 'dynamodb' || service === 'secretsmanager');
  const inTasks = coveredMs(tasks, whole);
  const kubernetes = coveredMs(calls, whole);
  const outside = coveredMs([...calls, ...asked], whole);
  return {
    kubernetes,
    services: outside - kubernetes,
    functions: Math.max(0, inTasks - outside),
    engine: publishedEpochMs - acceptedEpochMs - Math.max(inTasks, outside),
  };
}

/** The time from a function's invocation to its answer. */
function tasksOf(events: readonly StateEvent[]): Interval[] {
  const starts = events.filter(({ type }) => type === 'TaskStarted');
  const ends = events.filter(({ type }) => type === 'TaskSucceeded' || type === 'TaskFailed');
  return starts.map(({ atEpochMs }, index) => ({
    startEpochMs: atEpochMs,
    endEpochMs: ends[index]?.atEpochMs ?? Number.POSITIVE_INFINITY,
  }));
}
