import { EpochMs } from '../epoch-ms.ts';
import * as z from '../zod.ts';

/** When the newest attempt of a list began, and which of those that began shortly before or then were in the list. */
export const SeenDeliveries = z.object({ atEpochMs: EpochMs, ids: z.array(z.string()) });
export type SeenDeliveries = z.infer<typeof SeenDeliveries>;

/** How far rounds have read a CI system's list of deliveries. */
export const DeliveryCursor = z.object({
  seen: SeenDeliveries,
  /** Older deliveries that were not read, for lack of time. @default none */
  gap: z.optional(z.object({ page: z.string(), until: z.optional(SeenDeliveries) })),
});
export type DeliveryCursor = z.infer<typeof DeliveryCursor>;

/** How far rounds of reconciling have come in a CI system's lists, which one round may be unable to read whole. */
export const RoundCursor = z.object({
  /** The last scope whose jobs were listed. @default the next round begins with the first */
  jobLists: z.optional(z.string()),
  /** How many scopes of jobs take turns, and how many of them the last round listed that had room for any. */
  turn: z.optional(z.object({ scopes: z.int().check(z.gte(0)), listed: z.int().check(z.gte(1)) })),
  /** The last scope whose runners were listed. */
  runnerLists: z.optional(z.string()),
  /** The next page of each scope's list of runners, by the scope. @default 1 */
  runnerPages: z.optional(z.record(z.string(), z.int())),
  /** The last job that was asked for by its id. */
  jobs: z.optional(z.string()),
  /** The last one of the jobs that run for longer than usual that was asked for. */
  longJobs: z.optional(z.string()),
  /** The last runner that was asked for by its id. */
  runners: z.optional(z.string()),
  deliveries: z.optional(DeliveryCursor),
  atEpochMs: EpochMs,
});
export type RoundCursor = z.infer<typeof RoundCursor>;

/**
 * Says within how many rounds a webhook that did not arrive is found, at the pace of the last round: in the CI system's list
 * of deliveries, or when its repository has its turn.
 *
 * @returns undefined before a round has listed anything
 */
export function roundsToLostWebhook({
  deliveries,
  turn,
}: Pick<RoundCursor, 'deliveries' | 'turn'>): number | undefined {
  if (deliveries !== undefined) return 1;
  return turn && Math.max(1, Math.ceil(turn.scopes / turn.listed));
}
