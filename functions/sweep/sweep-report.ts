import * as z from '../../core/zod.ts';
import { LaunchReason, ObjectReason, SpareReason } from './verdict.ts';

/** The sweep's action on a finding; `found` in a dry run, which does nothing. */
export const Outcome = z.enum(['found', 'deleted', 'started', 'ended', 'asked', 'failed']);
export type Outcome = z.infer<typeof Outcome>;

/** A Service or a Pod that no live launch needs. */
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

/** A launch that needs an action. */
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

/** A sweep's findings and actions. */
export const SweepReport = z.object({
  dryRun: z.boolean(),
  /** Whether the sweep looked at everything and acted on every finding. */
  complete: z.boolean(),
  seen: z.object({ launches: count, objects: count }),
  /**
   * The readable launches that are not over, and for how long the slowest has been under way; absent when the sweep did
   * not list them all.
   */
  inFlight: z.optional(z.object({ launching: count, connected: count, cleaning: count, oldestSeconds: count })),
  /** Each finding, oldest first. */
  findings: z.array(Finding),
  found: z.partialRecord(z.union([ObjectReason, LaunchReason]), count),
  /** The number of findings, by what the sweep did about them. */
  done: z.partialRecord(Outcome, count),
  /** The number of suspects that the sweep left alone, by reason. */
  spared: z.partialRecord(SpareReason, count),
  /** The number of findings that this sweep did not reach; the next sweep does. */
  left: count,
  /** The parts that the sweep could not read, or on which it could not act. */
  errors: z.array(z.object({ subject: z.string(), message: z.string() })),
});
export type SweepReport = z.infer<typeof SweepReport>;
