import { jsonIn } from '../../core/json-in.ts';
import * as z from '../../core/zod.ts';
import type { JobNews, QueueMessage } from '../../ports/job-queue.ts';

/**
 * A message of a scale set's queue.
 *
 * @see https://github.com/actions/scaleset/blob/6ce025902cd964747a078c2aabe7340ebc667eca/types.go
 */
export const ScaleSetMessage = z.object({
  messageId: z.int(),
  messageType: z.string(),
  /** The news, as a list in JSON. */
  body: z.withDefault(z.string(), ''),
  statistics: z.nullish(z.object({ totalAssignedJobs: z.int() })),
});

const Offer = z.object({ messageType: z.literal('JobAvailable'), runnerRequestId: z.int() });
const News = z.object({
  messageType: z.enum(['JobAssigned', 'JobStarted', 'JobCompleted']),
  ownerName: z.string().check(z.minLength(1)),
  repositoryName: z.string().check(z.minLength(1)),
  workflowRunId: z.int().check(z.positive()),
  jobDisplayName: z.string(),
  requestLabels: z.nullish(z.array(z.string())),
  runnerId: z.nullish(z.int()),
  runnerName: z.nullish(z.string()),
});

const kinds = { JobAssigned: 'assigned', JobStarted: 'started', JobCompleted: 'completed' } as const;

/** "Responses contain at most 50 messages. Large backlogs will be truncated", in the client's README. */
const mostEntries = 50;

/**
 * Reads a message. What it cannot read it tells, and leaves out: a message that stays unread would be the next one for
 * ever. Kinds of entries that davit does not know are skipped, as GitHub's client does.
 */
export function readScaleSetMessage({
  messageId: id,
  messageType,
  body,
  statistics,
}: z.infer<typeof ScaleSetMessage>): QueueMessage {
  const message = { id, assigned: statistics?.totalAssignedJobs ?? 0 };
  const entries = messageType === 'RunnerScaleSetJobMessages' ? entriesOf(body) : undefined;
  if (entries === undefined) {
    return { ...message, news: [], offers: [], isCut: false, unread: [`a message ${messageType} that is no list`] };
  }
  const news: JobNews[] = [];
  const offers: number[] = [];
  const unread: string[] = [];
  for (const entry of entries) {
    const kind = z.safeParse(z.object({ messageType: z.string() }), entry).data?.messageType ?? '';
    const offer = z.safeParse(Offer, entry).data;
    const read = z.safeParse(News, entry);
    // github.com assigns jobs by itself, and numbers none of them.
    if (offer !== undefined && offer.runnerRequestId !== 0) offers.push(offer.runnerRequestId);
    else if (read.success) news.push(newsOf(read.data));
    else if (kind in kinds) unread.push(`${kind}: ${read.error.issues.map(({ path }) => path.join('.')).join(', ')}`);
  }
  return { ...message, news, offers, unread, isCut: entries.length >= mostEntries };
}

function entriesOf(body: string): unknown[] | undefined {
  return body === '' ? [] : z.safeParse(z.array(z.unknown()), jsonIn(body)).data;
}

function newsOf({ messageType, runnerId, runnerName, ...entry }: z.infer<typeof News>): JobNews {
  return {
    kind: kinds[messageType],
    repository: { owner: entry.ownerName, name: entry.repositoryName },
    runId: entry.workflowRunId,
    name: entry.jobDisplayName,
    labels: entry.requestLabels ?? [],
    // A job that no runner has got has the runner 0.
    ...(runnerId && runnerName ? { runner: { id: runnerId, name: runnerName } } : {}),
  };
}
