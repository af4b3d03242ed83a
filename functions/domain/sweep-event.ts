import * as z from 'zod';

const count = z.int().min(0);

/** What EventBridge knows the events of sweeps by. */
export const sweepSource = 'davit.sweep';

/** The detail of a sweep's event: what was found and done, without each thing's name where there are many. */
export const SweepReported = z
  .strictObject({
    id: z.string().describe('The same however often the event is sent'),
    complete: z.boolean().describe('Whether everything was looked at and dealt with'),
    found: z.record(z.string(), count).describe('How many things were found, by reason'),
    done: z.record(z.string(), count).describe('What was done about them, by outcome'),
    left: count.describe('How many things are left to the next sweep'),
    findings: z
      .array(
        z.strictObject({
          kind: z.enum(['Service', 'Pod', 'Launch']),
          launchId: z.string(),
          reason: z.string(),
          outcome: z.string(),
          cluster: z.string().optional(),
          namespace: z.string().optional(),
          name: z.string().optional(),
        }),
      )
      .describe('The first 100 things that were found, oldest first'),
    errors: z
      .array(z.strictObject({ about: z.string(), message: z.string() }))
      .describe('The first 20 things that could not be looked at or dealt with'),
    at: z.iso.datetime().describe('When the sweep was over: ISO 8601, UTC'),
  })
  .describe('A sweep found something, or did not get through. A sweep that had nothing to do says nothing.');
export type SweepReported = z.infer<typeof SweepReported>;

/** What a sweep has to tell. */
export interface SweepEvent {
  type: 'SweepReported';
  detail: SweepReported;
}
