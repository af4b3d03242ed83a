import { JobRefused } from '../../core/events/job-events.ts';
import { Repair } from '../../core/events/repair-event.ts';
import * as z from '../../core/zod.ts';

/** One repair. */
export const RepairDone = z.object({
  ciSystem: z.string(),
  repair: Repair,
  /** The launch, the runner or the delivery. */
  subject: z.string(),
  /** The reason, for people. */
  reason: z.string(),
});
export type RepairDone = z.infer<typeof RepairDone>;

const count = z.int().check(z.gte(0));

/** What one reconcile saw and did. */
export const ReconcileReport = z.object({
  /** Whether every CI system answered, and there was time for everything. */
  complete: z.boolean(),
  /** For each CI system that answered: the queued jobs that a profile takes, and the agents without a job. */
  seen: z.array(z.object({ ciSystem: z.string(), queued: count, idle: count, oldestQueuedSeconds: count })),
  /**
   * The limits for whose slots jobs waited before this reconcile gave slots away: how many jobs, and for how long the oldest
   * has been queued. Absent when davit could not list them.
   */
  limited: z.optional(
    z.array(z.object({ ciSystem: z.string(), limit: z.string(), jobs: count, oldestSeconds: count })),
  ),
  repairs: z.array(RepairDone),
  /** The jobs that it found and that a profile refuses, each once. */
  refused: z.array(JobRefused),
  /** What a dry run would do, in this order. @default none */
  planned: z.optional(
    z.array(z.object({ ciSystem: z.string(), kind: z.string(), subject: z.string(), reason: z.string() })),
  ),
  /** What davit could not read or do. */
  errors: z.array(z.object({ subject: z.string(), message: z.string() })),
});
export type ReconcileReport = z.infer<typeof ReconcileReport>;
