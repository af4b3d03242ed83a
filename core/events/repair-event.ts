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
export const RepairMade = z.described(
  z.strictObject({
    id: z.described(z.string(), 'The same however often the event is sent'),
    ciSystem: z.described(z.string(), "The CI system's name in davit.yaml"),
    repair: z.described(Repair, 'The repair'),
    subject: z.described(
      z.string(),
      'The id of the launch, the name of the runner, the id of the delivery, or the key of the job',
    ),
    reason: z.described(z.string(), 'Why, for people'),
    at: z.described(z.iso.datetime(), 'When the reconcile ended: ISO 8601, UTC'),
  }),
  'Reconciling repaired something that events had not done, or had undone. It is a symptom, except for `SurplusRetired` and ' +
    '`IdleRetired`, which a job that is cancelled in the queue makes, and `WarmRequested`. If the event cannot be sent, the log alone has it.',
);
export type RepairMade = z.infer<typeof RepairMade>;

/** The event of a repair. */
export interface RepairEvent {
  type: 'RepairMade';
  detail: RepairMade;
}
