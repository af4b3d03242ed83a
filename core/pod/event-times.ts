import type { EventView } from './kubernetes-objects.ts';

/** Says when an Event was last seen, in milliseconds since 1970-01-01T00:00:00Z; 0 when it has no time. */
export function lastSeenEpochMs({ series, lastTimestamp, eventTime, firstTimestamp }: EventView): number {
  return epochMsOf(series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? firstTimestamp);
}

/** Reads a time of Kubernetes; 0 when there is none. */
export function epochMsOf(time: string | null | undefined): number {
  return Date.parse(time ?? '') || 0;
}

/** Sorts Events by when each was last seen. */
export function newestFirst(events: readonly EventView[]): EventView[] {
  return events.toSorted((one, other) => lastSeenEpochMs(other) - lastSeenEpochMs(one));
}

/**
 * Truncates a moment to its second. Most Events keep only the second of their time, so within one second their order is
 * unknown.
 *
 * @returns seconds since 1970-01-01T00:00:00Z
 */
export function secondOf(epochMs: number): number {
  return Math.floor(epochMs / 1000);
}
