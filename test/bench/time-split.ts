import type { ServiceRequest, StateEvent } from '../on-cluster/messages.ts';
import type { ApiCall } from './audit-log.ts';
import { coveredMs, type Interval } from './statistics.ts';
import type { Timeline } from './timelines.ts';

/** Where the time of a launch goes, in milliseconds. The parts add up to the whole. */
export interface TimeSplit {
  /** The API server at work, and the cluster placing the Pod. */
  kubernetes: number;
  /** The local stand-in for DynamoDB, and for the other services that a function asks. */
  services: number;
  /** The functions beside that: davit's own code, the clients and the way to them. */
  functions: number;
  /** The local stand-in for Step Functions, between the functions. */
  engine: number;
}

/**
 * Splits the time from an accepted webhook to a published token. Right for a launch that is alone: of several at once,
 * the requests of one would count for another.
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

/** From when a function is called to when it has answered. */
function tasksOf(events: readonly StateEvent[]): Interval[] {
  const starts = events.filter(({ type }) => type === 'TaskStarted');
  const ends = events.filter(({ type }) => type === 'TaskSucceeded' || type === 'TaskFailed');
  return starts.map(({ atEpochMs }, index) => ({
    startEpochMs: atEpochMs,
    endEpochMs: ends[index]?.atEpochMs ?? Number.POSITIVE_INFINITY,
  }));
}
