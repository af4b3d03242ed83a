import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { type LoopbackServer, stopOnce } from '../../../../local/loopback-server.ts';
import { awsOperation, startAwsJsonServer } from '../aws-json-server.ts';
import { AwsServiceError } from '../aws-service-error.ts';
import { openJsonLines } from '../json-lines.ts';

/** The only event bus. */
export const localBusName = 'default';

/** An event, as a rule's target receives it. */
export const BusEvent = z.object({
  id: z.string(),
  source: z.string(),
  'detail-type': z.string(),
  time: z.string(),
  detail: z.record(z.string(), z.unknown()),
});
export type BusEvent = z.infer<typeof BusEvent>;

/** The settings of the local EventBridge. */
export interface EventBridgeServerOptions {
  /** The directory whose `events-sent.jsonl` gets each event. */
  directory?: string;
  /** As in the AWS JSON server. */
  secretAccessKey?: string;
  nowEpochMs?: () => number;
}

/** A running EventBridge that records the events on its bus and has no rules. */
export interface EventBridgeServer extends LoopbackServer {
  /** The last hundred events since the start, oldest first. */
  readonly events: readonly BusEvent[];
  /** Calls `listener` with each new event. Returns a function that unsubscribes it. */
  onEvent(listener: (event: BusEvent) => void): () => void;
}

const Entry = z.object({
  Source: z.string().min(1).optional(),
  DetailType: z.string().min(1).optional(),
  Detail: z.string().optional(),
  Time: z.number().optional(),
  /** The bus's name or its ARN. */
  EventBusName: z
    .string()
    .transform((nameOrArn) => nameOrArn.replace(/^arn:aws[a-z-]*:events:[a-z0-9-]*:\d*:event-bus\//, ''))
    .default(localBusName),
});
type Entry = z.output<typeof Entry>;

/** The greatest number of events in memory. */
const mostKept = 100;

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html */
const PutEvents = z.object({ Entries: z.array(Entry).min(1).max(10) });

/** Serves EventBridge's PutEvents for one bus. */
export async function startEventBridgeServer(options: EventBridgeServerOptions = {}): Promise<EventBridgeServer> {
  const nowEpochMs = options.nowEpochMs ?? Date.now;
  const { directory } = options;
  const journal = openJsonLines(directory && join(directory, 'events-sent.jsonl'));
  const events: BusEvent[] = [];
  const listeners = new Set<(event: BusEvent) => void>();

  function put(entry: Entry): { EventId: string } | { ErrorCode: string; ErrorMessage: string } {
    if (entry.EventBusName !== localBusName) throw busNotFound(entry.EventBusName);
    const read = readEvent(entry, nowEpochMs());
    if ('ErrorCode' in read) return read;
    journal.append(read);
    if (events.push(read) > mostKept) events.shift();
    for (const listener of listeners) listener(read);
    return { EventId: read.id };
  }

  const server = await startAwsJsonServer({
    targetPrefix: 'AWSEvents',
    jsonVersion: '1.1',
    secretAccessKey: options.secretAccessKey,
    operations: {
      PutEvents: awsOperation(PutEvents, ({ Entries }) => {
        const answers = Entries.map(put);
        return { Entries: answers, FailedEntryCount: answers.filter((answer) => 'ErrorCode' in answer).length };
      }),
    },
  });
  const stop = stopOnce(async () => {
    await server.stop();
    journal.close();
  });
  const onEvent = (listener: (event: BusEvent) => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return { ...server, events, onEvent, stop, [Symbol.asyncDispose]: stop };
}

function readEvent(
  { Source, DetailType, Detail, Time }: Entry,
  nowEpochMs: number,
): BusEvent | { ErrorCode: string; ErrorMessage: string } {
  const detail = z.record(z.string(), z.unknown()).safeParse(jsonOf(Detail ?? ''));
  if (!detail.success) return { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' };
  if (Source === undefined || DetailType === undefined) {
    return { ErrorCode: 'InvalidArgument', ErrorMessage: 'Parameters Source and DetailType are required.' };
  }
  const time = new Date(Time === undefined ? nowEpochMs : Time * 1000).toISOString();
  return { id: randomUUID(), source: Source, 'detail-type': DetailType, time, detail: detail.data };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // EventBridge answers MalformedDetail
  }
}

function busNotFound(name: string): AwsServiceError {
  return new AwsServiceError('ResourceNotFoundException', `Event bus ${name} does not exist.`);
}
