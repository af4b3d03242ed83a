import { ClusterState, namespaceStateOf } from '../../core/cluster/cluster-state.ts';
import type { Connection } from '../../core/cluster/connection.ts';
import { TransientError } from '../../core/errors/errors.ts';
import type { ClusterEvent } from '../../core/events/cluster-events.ts';
import { JobRefused, type JobRefusedEvent } from '../../core/events/job-events.ts';
import type { LifecycleEvent } from '../../core/events/lifecycle-events.ts';
import { CompletedToken } from '../../core/launch/completed-token.ts';
import { isOver, LaunchRecord } from '../../core/launch/launch-record.ts';
import type { LaunchPlan } from '../../core/launch/launch-state.ts';
import { present } from '../../core/present.ts';
import * as z from '../../core/zod.ts';
import type { Events } from '../../ports/events.ts';
import type { InvokeLater } from '../../ports/invoke-later.ts';
import type { Launches } from '../../ports/launches.ts';
import type { Metrics } from '../../runtime/metrics/metrics.ts';
import { countEvent } from './count-event.ts';
import { eventsOfCluster } from './events-of-cluster.ts';
import { agentPlaced, eventsOfLaunch } from './events-of-launch.ts';

/**
 * Changes of launches, tokens and clusters from their tables' streams: oldest first, each repeated until it succeeds.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
 */
export const TableChanges = z.object({
  Records: z.array(z.object({ dynamodb: z.looseObject({ SequenceNumber: z.string() }) })),
});
export type TableChanges = z.infer<typeof TableChanges>;

/** Changes from the tables' streams, or a refused job, which has no item in a published table. */
export const PublishEventsInput = z.union([TableChanges, z.object({ refused: JobRefused })]);
export type PublishEventsInput = z.infer<typeof PublishEventsInput>;

/** The first change that the stream must deliver again; empty when all succeeded. */
export const PublishEventsOutput = z.object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })) });

/** The dependencies of publishing a table's changes. */
export interface PublishEventsDeps {
  /** Reads an item of the stream. @throws Error for invalid data */
  readImage: (image: unknown) => unknown;
  events: Events<LifecycleEvent | ClusterEvent | JobRefusedEvent>;
  launches: Pick<Launches, 'get'>;
  invokeLater: InvokeLater<'admit' | 'probe'>;
  /** Requests probes of a cluster on which a launch begins. */
  watchCluster: (cluster: string) => Promise<void>;
  metrics: Metrics;
  log: {
    info(message: string, keys: Readonly<Record<string, unknown>>): void;
    warn(message: string, keys: { error: Error; sequenceNumber: string }): void;
    error(message: string, keys: { error: Error; sequenceNumber: string } | { error: Error; eventId: string }): void;
  };
}

/**
 * Publishes a refused job, or changes of tables.
 *
 * @throws TransientError StoreUnavailable when the event of a refused job cannot be sent; Lambda repeats the run
 */
export async function publishEvents(
  deps: PublishEventsDeps,
  input: PublishEventsInput,
): Promise<z.infer<typeof PublishEventsOutput>> {
  if ('Records' in input) return publishChanges(deps, input);
  await publishRefused(deps, input.refused);
  return { batchItemFailures: [] };
}

async function publishRefused({ events, log, metrics }: PublishEventsDeps, detail: JobRefused): Promise<void> {
  try {
    await events.send({ type: 'JobRefused', detail });
  } catch (thrown) {
    if (thrown instanceof TransientError) throw thrown;
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    log.error('an event will not be sent', { error, eventId: detail.id });
    metrics.put('EventsNotSent', 1, {}, { eventId: detail.id });
  }
}

/**
 * Publishes changes of launches and clusters as events, and counts changes of launches as metrics. The events follow
 * from the stored data: a crash loses no event, and no event reports something that did not happen. The stream delivers
 * a change again, in order, whose event cannot be sent now, until it forgets the change after a day. An event that can
 * never be sent is logged and counted, and blocks no other.
 */
async function publishChanges(
  deps: PublishEventsDeps,
  { Records }: TableChanges,
): Promise<z.infer<typeof PublishEventsOutput>> {
  const writes: object[] = [];
  try {
    return await publishEach(deps, Records, (write) => writes.push(write));
  } finally {
    // One line for all of them: a line's own keys are longer than a write.
    if (writes.length > 0) deps.log.info('launches written', { writes });
  }
}

async function publishEach(
  deps: PublishEventsDeps,
  records: TableChanges['Records'],
  noteWrite: (write: object) => void,
): Promise<z.infer<typeof PublishEventsOutput>> {
  for (const { dynamodb: change } of records) {
    const { SequenceNumber: sequenceNumber } = change;
    try {
      const read = readChange(deps, change);
      if ('NewImage' in read && !isOfCluster(read)) noteWrite(writeOf(read.NewImage));
      await publishChange(deps, read);
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

/** The write that made an item what it is. The revisions order the writes of one record, whichever functions made them. */
const Written = z.object({ revision: z.int(), command: z.string() });

const LaunchChange = z.object({
  OldImage: z.optional(LaunchRecord),
  NewImage: z.extend(LaunchRecord, z.partial(Written).shape),
});
type LaunchChange = z.infer<typeof LaunchChange>;

const TokenChange = z.pipe(
  z.object({ NewImage: z.object({ token: CompletedToken }) }),
  z.transform(({ NewImage }) => NewImage.token),
);

const ClusterChange = z.object({ OldImage: z.optional(ClusterState), NewImage: ClusterState });
type ClusterChange = z.infer<typeof ClusterChange>;

const Change = z.union([LaunchChange, TokenChange, ClusterChange]);

function readChange(
  { readImage }: PublishEventsDeps,
  { OldImage, NewImage }: Readonly<Record<string, unknown>>,
): z.infer<typeof Change> {
  const before = OldImage === undefined ? {} : { OldImage: readImage(OldImage) };
  return Change.parse({ ...before, NewImage: readImage(NewImage) });
}

async function publishChange(deps: PublishEventsDeps, change: z.infer<typeof Change>): Promise<void> {
  if (isOfCluster(change)) {
    for (const event of eventsOfCluster(change.OldImage, change.NewImage)) await deps.events.send(event);
    const { cluster } = change.NewImage;
    if (hasFirstFailure(change.OldImage, change.NewImage)) await deps.invokeLater('probe', { cluster });
    return;
  }
  if ('NewImage' in change) {
    await admitAfter(deps, change);
    const cluster = newClusterOf(change);
    if (cluster !== undefined) await deps.watchCluster(cluster);
  }
  const { events, plan } = 'NewImage' in change ? ofLaunch(change) : await ofToken(deps, change);
  for (const event of events) await deps.events.send(event, plan?.traceHeader);
  // Counts after it has sent all events, so that it does not count a repeated event again.
  for (const event of events) countEvent(deps.metrics, event);
}

/** Tells a write of a launch's record. The table's stream is where each write is seen. */
function writeOf({ launchId, plan, revision, command }: LaunchChange['NewImage']): object {
  return present({ launchId, agentName: plan?.agentName, revision, command });
}

function isOfCluster(change: z.infer<typeof Change>): change is ClusterChange {
  return 'NewImage' in change && 'history' in change.NewImage;
}

/**
 * Says whether a launch's own call to a healthy cluster, or in a healthy namespace, has failed. (A probe's report also says
 * when it looks again.) The next probe may be most of a minute away, and a launch looks too rarely to tell a loss from one
 * failing call.
 */
export function hasFirstFailure(before: ClusterState | undefined, after: ClusterState): boolean {
  const { namespaces = [] } = after;
  return (
    isFirstFailure(before, after) ||
    namespaces.some((state) => isFirstFailure(namespaceStateOf(before, state.namespace), state))
  );
}

function isFirstFailure(before: Connection | undefined, { failures, nextAttemptAtEpochMs }: Connection): boolean {
  return failures !== undefined && before?.failures === undefined && nextAttemptAtEpochMs === undefined;
}

/** Names the cluster on which a launch begins, or to which it moves. */
function newClusterOf({ OldImage, NewImage }: LaunchChange): string | undefined {
  const { status, plan } = NewImage;
  return status === 'launching' && plan?.cluster !== OldImage?.plan?.cluster ? plan?.cluster : undefined;
}

/** Requests that the slots of a launch that is over go to jobs that wait for them. */
async function admitAfter({ invokeLater }: PublishEventsDeps, { OldImage, NewImage }: LaunchChange): Promise<void> {
  if (NewImage.plan?.slots === undefined || !isOver(NewImage) || (OldImage && isOver(OldImage))) return;
  await invokeLater('admit', { launchId: NewImage.launchId });
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
  if (plan === undefined) throw new Error(`the token of ${token.agentName} belongs to no known launch`);
  return { events: [agentPlaced(token, plan)], plan };
}
