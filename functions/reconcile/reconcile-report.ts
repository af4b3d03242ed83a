import * as z from '../zod.ts';

/**
 * What reconciling did that events had not: asked for a launch, or for another one of a job; asked for the retirement of an
 * agent that is too many, idle for too long, or half retired; took out a runner of no agent; had a webhook delivered again.
 */
export const Repair = z.enum([
  'LaunchRequested',
  'ReplacementRequested',
  'SurplusRetired',
  'IdleRetired',
  'RetirementRepeated',
  'GhostRemoved',
  'WebhookRedelivered',
]);
export type Repair = z.infer<typeof Repair>;

/** One repair. */
export const RepairDone = z.object({
  ciSystem: z.string(),
  repair: Repair,
  /** The launch, the runner or the delivery. */
  subject: z.string(),
  /** Why, for people. */
  reason: z.string(),
});
export type RepairDone = z.infer<typeof RepairDone>;

const count = z.int().check(z.gte(0));

/** What one reconcile saw and did. */
export const ReconcileReport = z.object({
  /** Whether every CI system answered, and there was time for all of it. */
  complete: z.boolean(),
  /** For each CI system that answered: its queued jobs that a profile takes, and the agents without a job. */
  seen: z.array(z.object({ ciSystem: z.string(), queued: count, idle: count, oldestQueuedSeconds: count })),
  repairs: z.array(RepairDone),
  /** What could not be read or done. */
  errors: z.array(z.object({ subject: z.string(), message: z.string() })),
});
export type ReconcileReport = z.infer<typeof ReconcileReport>;
