import type { HistoryEvent as SdkHistoryEvent } from '@aws-sdk/client-sfn';

/** One event of an execution's history, in AWS's shape except for the time. */
export type HistoryEvent = Omit<SdkHistoryEvent, 'timestamp' | 'id' | 'previousEventId'> & {
  id: number;
  previousEventId: number;
  timestampEpochMs: number;
};

/** An event without its place in a history. */
export type EventBody = Omit<HistoryEvent, 'id' | 'previousEventId' | 'timestampEpochMs'>;

/** Whether a value from a journal is an event. Does not check its details. */
export function isHistoryEvent(value: unknown): value is HistoryEvent {
  if (!(value instanceof Object)) return false;
  const numbered = 'id' in value && 'previousEventId' in value && 'timestampEpochMs' in value && 'type' in value;
  return numbered && Number.isInteger(value.id) && typeof value.type === 'string';
}

/** The fields with execution data, which GetExecutionHistory omits on request. */
const dataFields = new Set(['input', 'output', 'parameters', 'inputDetails', 'outputDetails']);

/** Appends an event. AWS counts from 1, and the second event still names 0 as its predecessor. */
export function appendEvent(history: HistoryEvent[], body: EventBody, nowEpochMs: number): HistoryEvent {
  const id = history.length + 1;
  const event = { ...body, id, previousEventId: id <= 2 ? 0 : id - 1, timestampEpochMs: nowEpochMs };
  history.push(event);
  return event;
}

/** Converts an event for the wire: with the time in seconds, and without execution data on request. */
export function toWireEvent(event: HistoryEvent, includeExecutionData: boolean): Record<string, unknown> {
  const { timestampEpochMs, ...rest } = event;
  const wireEvent = { ...rest, timestamp: timestampEpochMs / 1_000 };
  return includeExecutionData ? wireEvent : withoutData(wireEvent);
}

function withoutData(event: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(event).map(([field, value]) => [field, value instanceof Object ? dropDataFields(value) : value]),
  );
}

function dropDataFields(details: object): object {
  return Object.fromEntries(Object.entries(details).filter(([field]) => !dataFields.has(field)));
}
