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
 * Changes of launches and tokens, as their tables' streams deliver them: oldest first, each until it succeeds.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
 */
export const PublishEventsInput = z.object({
  Records: z.array(z.object({ dynamodb: z.looseObject({ SequenceNumber: z.string() }) })),
});

/** The first change that the stream must deliver again; empty when all succeeded. */
export const PublishEventsOutput = z.object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })) });

/** What publishing a table's changes needs. */
export interface PublishEventsDeps {
  /** Reads an item as the stream has it. @throws Error for what is none */
  readImage: (image: unknown) => unknown;
  events: Events;
  launches: Pick<Launches, 'get'>;
  metrics: Metrics;
  log: {
    warn(message: string, keys: { error: Error; sequenceNumber: string }): void;
    error(message: string, keys: { error: Error; sequenceNumber: string }): void;
  };
}

/**
 * Publishes changes of launches as events, and counts them as metrics. Events follow from what was written: no crash in
 * between loses an event, and no event reports what did not happen. An event that cannot be sent now is delivered again,
 * in order, until the stream forgets it after a day. An event that can never be sent is logged and counted, and blocks
 * no other.
 */
export async function publishEvents(
  deps: PublishEventsDeps,
  { Records }: z.infer<typeof PublishEventsInput>,
): Promise<z.infer<typeof PublishEventsOutput>> {
  for (const { dynamodb: change } of Records) {
    const { SequenceNumber: sequenceNumber } = change;
    try {
      await publishChange(deps, readChange(deps, change));
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

const LaunchChange = z.object({ OldImage: z.optional(LaunchRecord), NewImage: LaunchRecord });
type LaunchChange = z.infer<typeof LaunchChange>;

const TokenChange = z.pipe(
  z.object({ NewImage: z.object({ token: CompletedToken }) }),
  z.transform(({ NewImage }) => NewImage.token),
);

const Change = z.union([LaunchChange, TokenChange]);

function readChange(
  { readImage }: PublishEventsDeps,
  { OldImage, NewImage }: Readonly<Record<string, unknown>>,
): z.infer<typeof Change> {
  const before = OldImage === undefined ? {} : { OldImage: readImage(OldImage) };
  return Change.parse({ ...before, NewImage: readImage(NewImage) });
}

async function publishChange(deps: PublishEventsDeps, change: z.infer<typeof Change>): Promise<void> {
  const { events, plan } = 'NewImage' in change ? ofLaunch(change) : await ofToken(deps, change);
  for (const event of events) await deps.events.send(event, plan?.traceHeader);
  // Counts after all are sent, so that a repeated event is not counted again.
  for (const event of events) countEvent(deps.metrics, event);
}

interface Happened {
  events: LifecycleEvent[];
  plan: LaunchPlan | undefined;
}

function ofLaunch({ OldImage, NewImage }: LaunchChange): Happened {
  return { events: eventsOfLaunch(OldImage, NewImage), plan: NewImage.plan };
}

async function ofToken({ launches }: PublishEventsDeps, token: CompletedToken): Promise<Happened> {
  const plan = (await launches.get(token.launchId))?.plan;
  if (plan === undefined) throw new Error(`the token of ${token.agentName} is of no launch that there is`);
  return { events: [agentReady(token, plan)], plan };
}
