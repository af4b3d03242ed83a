import { EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { TransientError } from '../../domain/errors.ts';
import { lifecycleDetails, lifecycleSource } from '../../domain/lifecycle-events.ts';
import { SweepReported, sweepSource } from '../../domain/sweep-event.ts';
import type { Events } from '../../ports/events.ts';
import { type AwsSettings, clientSettings, davitErrors } from './client-settings.ts';

/** What is promised of each event. */
const details = { ...lifecycleDetails, SweepReported };

/** Makes a client of EventBridge. */
export function createEventBridgeClient(settings?: AwsSettings): EventBridgeClient {
  const client = new EventBridgeClient(clientSettings(settings));
  client.middlewareStack.use(davitErrors());
  return client;
}

/** The refusals that are final: EventBridge gives them to an event whenever it is sent. */
const refusals = new Set(['InvalidArgument', 'MalformedDetail', 'NotAuthorizedForSourceException']);

/**
 * Sends events to EventBridge: needs events:PutEvents on the bus. An operator can mend every other failure, such as a
 * missing permission or a bus that is gone, so the event is worth sending again after it.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html
 */
export function createEventBus(bus: { client: EventBridgeClient; busName: string }): Events {
  return {
    async send({ type, detail }, traceHeader) {
      const entry = {
        EventBusName: bus.busName,
        Source: type === 'SweepReported' ? sweepSource : lifecycleSource,
        DetailType: type,
        Detail: JSON.stringify(details[type].parse(detail)),
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
