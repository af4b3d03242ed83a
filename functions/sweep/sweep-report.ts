import * as z from '../zod.ts';
import { LaunchReason, ObjectReason, SpareReason } from './verdict.ts';

/** What was done about something; `found` in a dry run, where nothing is. */
export const Outcome = z.enum(['found', 'deleted', 'started', 'ended', 'asked', 'failed']);
export type Outcome = z.infer<typeof Outcome>;

/** A Service or a Pod that nobody needs. */
export const ObjectFinding = z.object({
  kind: z.enum(['Service', 'Pod']),
  cluster: z.string(),
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
  launchId: z.string(),
  reason: ObjectReason,
  outcome: Outcome,
});
export type ObjectFinding = z.infer<typeof ObjectFinding>;

/** A launch that somebody has to do something about. */
export const LaunchFinding = z.object({
  kind: z.literal('Launch'),
  launchId: z.string(),
  reason: LaunchReason,
  outcome: Outcome,
});
export type LaunchFinding = z.infer<typeof LaunchFinding>;

/** One thing that a sweep found. */
export const Finding = z.discriminatedUnion('kind', [ObjectFinding, LaunchFinding]);
export type Finding = z.infer<typeof Finding>;

const count = z.int().check(z.gte(0));

/** What a sweep found, and what it did about it. */
export const SweepReport = z.object({
  dryRun: z.boolean(),
  /** Whether everything was looked at, and everything that was found was dealt with. */
  complete: z.boolean(),
  /** How much was looked at. */
  seen: z.object({ launches: count, objects: count }),
  /**
   * The launches that are not over, of those that can be read, and for how long the slowest is under way; absent when they
   * were not all listed.
   */
  inFlight: z.optional(z.object({ launching: count, connected: count, cleaning: count, oldestSeconds: count })),
  /** Each thing that was found, oldest first. */
  findings: z.array(Finding),
  /** How many things were found, by reason. */
  found: z.partialRecord(z.union([ObjectReason, LaunchReason]), count),
  /** What was done about them, by outcome. */
  done: z.partialRecord(Outcome, count),
  /** How many things were left alone although they look as if nobody needed them, by reason. */
  spared: z.partialRecord(SpareReason, count),
  /** How many things a sweep of this size did not get to: the next one does. */
  left: count,
  /** What could not be looked at or dealt with. */
  errors: z.array(z.object({ about: z.string(), message: z.string() })),
});
export type SweepReport = z.infer<typeof SweepReport>;
