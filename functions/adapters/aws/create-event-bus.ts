import { EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { clusterDetails, clusterSource } from '../../domain/cluster-events.ts';
import { TransientError } from '../../domain/errors.ts';
import { JobRefused, jobSource } from '../../domain/job-events.ts';
import { lifecycleDetails, lifecycleSource } from '../../domain/lifecycle-events.ts';
import { JobsWaitForSlots } from '../../domain/limit-event.ts';
import { RepairMade, repairSource } from '../../domain/repair-event.ts';
import { SweepReported, sweepSource } from '../../domain/sweep-event.ts';
import type { Events } from '../../ports/events.ts';
import { type AwsSettings, clientSettings, davitErrors } from './client-settings.ts';

/** The schema of each event. */
const details = { ...lifecycleDetails, ...clusterDetails, JobRefused, JobsWaitForSlots, RepairMade, SweepReported };

/** The sources of events that do not belong to a launch. */
const sources: Readonly<Partial<Record<keyof typeof details, string>>> = {
  ClusterConnected: clusterSource,
  ClusterDisconnected: clusterSource,
  JobRefused: jobSource,
  JobsWaitForSlots: repairSource,
  RepairMade: repairSource,
  SweepReported: sweepSource,
};

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
export function createEventBus(bus: { client: EventBridgeClient; busName: string }): Events {
  return {
    async send({ type, detail }, traceHeader) {
      const entry = {
        EventBusName: bus.busName,
        Source: sources[type] ?? lifecycleSource,
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
