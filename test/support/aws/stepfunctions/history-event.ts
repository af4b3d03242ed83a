import type { HistoryEvent as SdkHistoryEvent } from '@aws-sdk/client-sfn';

/** One event of an execution's history, in AWS's shape except for the time. */
export type HistoryEvent = Omit<SdkHistoryEvent, 'timestamp' | 'id' | 'previousEventId'> & {
  id: number;
  previousEventId: number;
  timestampEpochMs: number;
};

/** An event without its place in a history. */
export type EventBody = Omit<HistoryEvent, 'id' | 'previousEventId' | 'timestampEpochMs'>;

/** Appends an event. AWS counts from 1, and the second event still names 0 as its predecessor. */
export function appendEvent(history: HistoryEvent[], body: EventBody, nowEpochMs: number): HistoryEvent {
  const id = history.length + 1;
  const event = { ...body, id, previousEventId: id <= 2 ? 0 : id - 1, timestampEpochMs: nowEpochMs };
  history.push(event);
  return event;
}

/** Converts an event for the wire, with the time in seconds. */
export function toWireEvent({ timestampEpochMs, ...event }: HistoryEvent): Record<string, unknown> {
  return { ...event, timestamp: timestampEpochMs / 1_000 };
}
