import type { HistoryEvent as SdkHistoryEvent } from '@aws-sdk/client-sfn';

/** One event of an execution's history: AWS's own shape, but for the time. */
export type HistoryEvent = Omit<SdkHistoryEvent, 'timestamp' | 'id' | 'previousEventId'> & {
  id: number;
  previousEventId: number;
  timestampEpochMs: number;
};

/** What an event says, before it has its place in a history. */
export type EventBody = Omit<HistoryEvent, 'id' | 'previousEventId' | 'timestampEpochMs'>;

/** Tells whether a value from a journal is an event; its details are taken as they are. */
export function isHistoryEvent(value: unknown): value is HistoryEvent {
  if (!(value instanceof Object)) return false;
  const numbered = 'id' in value && 'previousEventId' in value && 'timestampEpochMs' in value && 'type' in value;
  return numbered && Number.isInteger(value.id) && typeof value.type === 'string';
}

/** Details that hold execution data, which GetExecutionHistory leaves out when it is asked to. */
const DATA_FIELDS = new Set(['input', 'output', 'parameters', 'inputDetails', 'outputDetails']);

/** Appends an event after the last one; AWS counts from 1, and the second event still names 0 as its predecessor. */
export function appendEvent(history: HistoryEvent[], body: EventBody, nowEpochMs: number): HistoryEvent {
  const id = history.length + 1;
  const event = { ...body, id, previousEventId: id <= 2 ? 0 : id - 1, timestampEpochMs: nowEpochMs };
  history.push(event);
  return event;
}

/** The event as it goes over the wire: the time in seconds, and without data where that is asked for. */
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
  return Object.fromEntries(Object.entries(details).filter(([field]) => !DATA_FIELDS.has(field)));
}
