import { TransientError } from '../../domain/errors.ts';
import { lifecycleDetails, lifecycleSource } from '../../domain/lifecycle-events.ts';
import { SweepReported, sweepSource } from '../../domain/sweep-event.ts';
import type { Events } from '../../ports/events.ts';
import * as z from '../../zod.ts';
import type { JsonClient } from './json-client.ts';

/** What is promised of each event. */
const details = { ...lifecycleDetails, SweepReported };

/** What EventBridge says of an event that it will not take whenever it is sent. */
const refusals = new Set(['InvalidArgument', 'MalformedDetail', 'NotAuthorizedForSourceException']);

/**
 * Sends events to EventBridge: needs events:PutEvents on the bus. Whatever else is wrong, a right that is missing and a
 * bus that is gone among it, is somebody's to mend, and the event is worth to be sent after that.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html
 */
export function createEventBus(bus: { client: JsonClient; busName: string }): Events {
  return {
    async send({ type, detail }, traceHeader) {
      const entry = {
        EventBusName: bus.busName,
        Source: type === 'SweepReported' ? sweepSource : lifecycleSource,
        DetailType: type,
        Detail: JSON.stringify(details[type].parse(detail)),
        Time: Date.parse(detail.at) / 1000,
        ...(traceHeader === undefined ? {} : { TraceHeader: traceHeader }),
      };
      const [answer] = await putEvents(bus.client, entry);
      if (answer?.ErrorCode === undefined) return;
      const says = `EventBridge PutEvents: ${answer.ErrorCode}: ${answer.ErrorMessage}`;
      if (refusals.has(answer.ErrorCode)) throw new Error(says);
      throw new TransientError('StoreUnavailable', says);
    },
  };
}

const Answer = z.object({
  Entries: z.array(z.object({ ErrorCode: z.optional(z.string()), ErrorMessage: z.optional(z.string()) })),
});

async function putEvents(client: JsonClient, entry: object) {
  try {
    return (await client.call('PutEvents', { Entries: [entry] }, Answer)).Entries;
  } catch (cause) {
    if (cause instanceof TransientError) throw cause;
    const says = `EventBridge PutEvents: ${cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)}`;
    throw new TransientError('StoreUnavailable', says, {}, { cause });
  }
}
