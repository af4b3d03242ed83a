import * as z from '../zod.ts';

const count = z.int().check(z.gte(0));

/** What EventBridge knows the events of sweeps by. */
export const sweepSource = 'davit.sweep';

/** The detail of a sweep's event: what was found and done, without each thing's name where there are many. */
export const SweepReported = z
  .strictObject({
    id: z.string().check(z.describe('The same however often the event is sent')),
    complete: z.boolean().check(z.describe('Whether everything was looked at and dealt with')),
    found: z.record(z.string(), count).check(z.describe('How many things were found, by reason')),
    done: z.record(z.string(), count).check(z.describe('What was done about them, by outcome')),
    left: count.check(z.describe('How many things are left to the next sweep')),
    findings: z
      .array(
        z.strictObject({
          kind: z.enum(['Service', 'Pod', 'Launch']),
          launchId: z.string(),
          reason: z.string(),
          outcome: z.string(),
          cluster: z.optional(z.string()),
          namespace: z.optional(z.string()),
          name: z.optional(z.string()),
        }),
      )
      .check(z.describe('The first 100 things that were found, oldest first')),
    errors: z
      .array(z.strictObject({ about: z.string(), message: z.string() }))
      .check(z.describe('The first 20 things that could not be looked at or dealt with')),
    at: z.iso.datetime().check(z.describe('When the sweep was over: ISO 8601, UTC')),
  })
  .check(z.describe('A sweep found something, or did not get through. A sweep that had nothing to do says nothing.'));
export type SweepReported = z.infer<typeof SweepReported>;

/** What a sweep has to tell. */
export interface SweepEvent {
  type: 'SweepReported';
  detail: SweepReported;
}
