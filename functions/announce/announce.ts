import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { CompletedToken } from '../domain/completed-token.ts';
import { TransientError } from '../domain/errors.ts';
import { LaunchRecord } from '../domain/launch-record.ts';
import type { LaunchPlan } from '../domain/launch-state.ts';
import type { LifecycleEvent } from '../domain/lifecycle-events.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Events } from '../ports/events.ts';
import type { Launches } from '../ports/launches.ts';
import * as z from '../zod.ts';
import { countEvent } from './count-event.ts';
import { agentReady, eventsOfLaunch } from './events-of-launch.ts';

/**
 * Changes of launches and tokens, as the streams of their tables tell them: oldest first, each until it is taken.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
 */
export const AnnounceInput = z.object({
  Records: z.array(z.object({ dynamodb: z.looseObject({ SequenceNumber: z.string() }) })),
});

/** From which change on the stream is to be told again; none, when all were taken. */
export const AnnounceOutput = z.object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })) });

/** What Announce needs. */
export interface AnnounceDeps {
  events: Events;
  launches: Pick<Launches, 'get'>;
  metrics: Metrics;
  log: {
    warn(message: string, keys: { error: Error; sequenceNumber: string }): void;
    error(message: string, keys: { error: Error; sequenceNumber: string }): void;
  };
}

/**
 * Tells what has happened to launches, as events, and counts it, as metrics. What is told is what has been written: no
 * event is lost because a function died between the two, and none is told of what did not happen. One that cannot be
 * sent now is asked for again, in order, until the stream forgets it after a day; one that never can be is logged and
 * counted, and holds up no other.
 */
export async function announce(
  deps: AnnounceDeps,
  { Records }: z.infer<typeof AnnounceInput>,
): Promise<z.infer<typeof AnnounceOutput>> {
  for (const { dynamodb: change } of Records) {
    const { SequenceNumber: sequenceNumber } = change;
    try {
      await announceChange(deps, Change.parse(change));
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      if (error instanceof TransientError) {
        deps.log.warn('an event could not be sent yet', { error, sequenceNumber });
        return { batchItemFailures: [{ itemIdentifier: sequenceNumber }] };
      }
      deps.log.error('an event will not be sent', { error, sequenceNumber });
      deps.metrics.put('EventsNotSent', 1, {}, { sequenceNumber });
    }
  }
  return { batchItemFailures: [] };
}

const Image = z.pipe(
  z.record(z.string(), z.custom<AttributeValue>()),
  z.transform((image): unknown => unmarshall(image)),
);

const LaunchImage = z.pipe(Image, LaunchRecord);
const LaunchChange = z.object({ OldImage: z.optional(LaunchImage), NewImage: LaunchImage });
type LaunchChange = z.infer<typeof LaunchChange>;

const TokenChange = z.pipe(
  z.object({ NewImage: z.pipe(Image, z.object({ token: CompletedToken })) }),
  z.transform(({ NewImage }) => NewImage.token),
);

const Change = z.union([LaunchChange, TokenChange]);

async function announceChange(deps: AnnounceDeps, change: z.infer<typeof Change>): Promise<void> {
  const { events, plan } = 'NewImage' in change ? ofLaunch(change) : await ofToken(deps, change);
  for (const event of events) await deps.events.send(event, plan?.traceHeader);
  // Counted when all are sent: what has to be sent again is not counted again.
  for (const event of events) countEvent(deps.metrics, event);
}

interface Announced {
  events: LifecycleEvent[];
  plan: LaunchPlan | undefined;
}

function ofLaunch({ OldImage, NewImage }: LaunchChange): Announced {
  return { events: eventsOfLaunch(OldImage, NewImage), plan: NewImage.plan };
}

async function ofToken({ launches }: AnnounceDeps, token: CompletedToken): Promise<Announced> {
  const plan = (await launches.get(token.launchId))?.plan;
  if (plan === undefined) throw new Error(`the token of ${token.agentName} is of no launch that there is`);
  return { events: [agentReady(token, plan)], plan };
}
