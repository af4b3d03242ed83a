import { EpochMs } from '../epoch-ms.ts';
import * as z from '../zod.ts';
import { CiRunner } from './ci-scope.ts';

/** A job that was not over when davit last polled its CI system. */
export const OpenJob = z.object({
  /** By `jobKeyOf`. */
  jobKey: z.string().check(z.minLength(1)),
  /** The runner of this davit that runs it; absent while it waits. */
  runner: z.optional(CiRunner),
  /** Whether davit holds the job for its agent; only where davit chooses an agent's job, once it has looked. */
  lease: z.optional(
    z.object({
      /** When davit last looked at the job's launch. */
      checkedAtEpochMs: EpochMs,
      /** When davit last reserved the job, or extended that. @default davit does not hold it */
      reservedAtEpochMs: z.optional(EpochMs),
      /** A hash of the last words about the job's wait that its page has. @default none */
      told: z.optional(z.string()),
    }),
  ),
  /** Whether only davit's records have it: no poll has looked whether an agent was asked for. @default a poll has */
  isUnchecked: z.optional(z.literal(true)),
  /** Since when the job runs while the runner of its own launch is idle. @default it does not */
  elsewhereSinceEpochMs: z.optional(EpochMs),
});
export type OpenJob = z.infer<typeof OpenJob>;

/** Where reading a queue of messages has got to. */
export const QueueCursor = z.object({
  /** The session at the CI system; absent before the first one. Whoever has it may read the queue, with davit's credential. */
  sessionId: z.optional(z.string()),
  /** The last message of the session that was acknowledged. @default none */
  lastMessageId: z.optional(z.int()),
  /** The ids of the jobs that were offered and not yet asked for, because a limit was reached. @default none */
  offers: z.optional(z.array(z.int())),
  /** How many jobs the queue has handed to davit that are not over, by its last message. @default unknown */
  assigned: z.optional(z.int()),
  /** How often the next message could not be handled. @default never */
  failures: z.optional(z.int()),
  /** Which process reads the queue, and until when others leave it alone. @default none */
  lease: z.optional(z.object({ holder: z.string(), untilEpochMs: EpochMs })),
});
export type QueueCursor = z.infer<typeof QueueCursor>;

/** Where polling a CI system has got to: a later poll sees what has happened to these jobs. */
export const PollCursor = z.object({
  open: z.array(OpenJob),
  /** The runners of this davit that ran jobs which no poll had seen. @default none */
  unseen: z.optional(z.array(z.int())),
  /** Only of a CI system that keeps a queue of messages for davit. */
  queue: z.optional(QueueCursor),
});
export type PollCursor = z.infer<typeof PollCursor>;

/** How many jobs a stored cursor has at most: each takes some 200 bytes, and an item of DynamoDB has 400 KB. */
const mostStored = 1800;

/**
 * Cuts a cursor to what a store takes. Keeps the running jobs: a poll sees a job that still waits again, and handling its
 * event again does no harm.
 */
export function storedPart({ open, ...cursor }: PollCursor): PollCursor {
  const running = open.filter(({ runner }) => runner !== undefined);
  const waiting = open.filter(({ runner }) => runner === undefined);
  return { ...cursor, open: [...running, ...waiting].slice(0, mostStored) };
}
