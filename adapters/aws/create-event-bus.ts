import { EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { TransientError } from '../../core/errors/errors.ts';
import type * as z from '../../core/zod.ts';
import type { DavitEvent, Events } from '../../ports/events.ts';
import { type AwsSettings, clientSettings, davitErrors } from './client-settings.ts';

/** The events that a function sends, by their types. A function names them, so that it makes the schemas of no others. */
export type EventKinds<Type extends DavitEvent['type']> = Readonly<Record<Type, EventKind>>;

interface EventKind {
  /** EventBridge's `source`. */
  source: string;
  /** The schema of its details. An event that does not match its documentation is not sent. */
  detail: z.ZodMiniType;
}

/** The kinds of events that have one source. @param details the schema of each type's details */
export function kindsOf<Type extends string>(
  source: string,
  details: Readonly<Record<Type, z.ZodMiniType>>,
): Record<Type, EventKind> {
  const kinds: Partial<Record<Type, EventKind>> = {};
  for (const type in details) kinds[type] = { source, detail: details[type] };
  return kinds as Record<Type, EventKind>;
}

/** Makes a client of EventBridge. */
export function createEventBridgeClient(settings?: AwsSettings): EventBridgeClient {
  const client = new EventBridgeClient(clientSettings(settings));
  client.middlewareStack.use(davitErrors());
  return client;
}

/** The final refusals: EventBridge repeats them every time the event is sent. */
const refusals = new Set(['InvalidArgument', 'MalformedDetail', 'NotAuthorizedForSourceException']);

/**
 * Sends events to EventBridge: needs events:PutEvents on the bus. An operator can fix every other failure, such as a
 * missing permission or a deleted bus, so davit sends the event again.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html
 */
export function createEventBus<Type extends DavitEvent['type']>(bus: {
  client: EventBridgeClient;
  busName: string;
  kinds: EventKinds<Type>;
}): Events<Extract<DavitEvent, { type: Type }>> {
  return {
    async send({ type, detail }, traceHeader) {
      const kind = bus.kinds[type];
      const entry = {
        EventBusName: bus.busName,
        Source: kind.source,
        DetailType: type,
        Detail: JSON.stringify(kind.detail.parse(detail)),
        Time: new Date(detail.at),
        ...(traceHeader === undefined ? {} : { TraceHeader: traceHeader }),
      };
      const [answer] = await putEvents(bus.client, entry);
      if (answer?.ErrorCode === undefined) return;
      const refusal = `EventBridge PutEvents: ${answer.ErrorCode}: ${answer.ErrorMessage}`;
      if (refusals.has(answer.ErrorCode)) throw new Error(refusal);
      throw new TransientError('StoreUnavailable', refusal);
    },
  };
}

async function putEvents(client: EventBridgeClient, entry: PutEventsRequestEntry) {
  try {
    const { Entries = [] } = await client.send(new PutEventsCommand({ Entries: [entry] }));
    return Entries;
  } catch (cause) {
    if (cause instanceof TransientError) throw cause;
    const refusal = `EventBridge PutEvents: ${cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)}`;
    throw new TransientError('StoreUnavailable', refusal, {}, { cause });
  }
}
