import * as z from '../zod.ts';

/** The EventBridge source of repairs. */
export const repairSource = 'davit.reconcile';

/**
 * The repairs of reconciling, in place of missing events: a requested launch, replacement, or warm agent; a pool that gets
 * no warm agent for some time, because its latest ended without a job; a requested
 * retirement of a surplus, idle or half retired agent; a removed runner without an agent; a redelivered webhook; a new
 * run of a job whose agent infrastructure took; the end of a launch whose job is over, or of that job's wait for a
 * slot.
 */
export const Repair = z.enum([
  'LaunchRequested',
  'ReplacementRequested',
  'WarmRequested',
  'WarmPaused',
  'SurplusRetired',
  'IdleRetired',
  'RetirementRepeated',
  'GhostRemoved',
  'WebhookRedelivered',
  'JobRerun',
  'CompletionMissed',
]);
export type Repair = z.infer<typeof Repair>;

/** The detail of a repair's event. */
export const RepairMade = z
  .strictObject({
    id: z.string().check(z.describe('The same however often the event is sent')),
    ciSystem: z.string().check(z.describe("The CI system's name in davit.yaml")),
    repair: Repair.check(z.describe('The repair')),
    subject: z
      .string()
      .check(z.describe('The id of the launch, the name of the runner, the id of the delivery, or the key of the job')),
    reason: z.string().check(z.describe('Why, for people')),
    at: z.iso.datetime().check(z.describe('When the reconcile ended: ISO 8601, UTC')),
  })
  .check(
    z.describe(
      'Reconciling repaired something that events had not done, or had undone. It is a symptom, except for `SurplusRetired` and ' +
        '`IdleRetired`, which a job that is cancelled in the queue makes, and `WarmRequested`. If the event cannot be sent, the log alone has it.',
    ),
  );
export type RepairMade = z.infer<typeof RepairMade>;

/** The event of a repair. */
export interface RepairEvent {
  type: 'RepairMade';
  detail: RepairMade;
}
