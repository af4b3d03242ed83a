import * as z from '../zod.ts';

const count = z.int().check(z.gte(0));

/** The EventBridge source of sweep events. */
export const sweepSource = 'davit.sweep';

/** The detail of a sweep's event: its findings and actions. Long lists are truncated. */
export const SweepReported = z
  .strictObject({
    id: z.string().check(z.describe('The same however often the event is sent')),
    complete: z.boolean().check(z.describe('Whether the sweep looked at everything and acted on every finding')),
    found: z.record(z.string(), count).check(z.describe('The number of findings, by reason')),
    done: z.record(z.string(), count).check(z.describe('The number of findings, by what the sweep did about them')),
    left: count.check(z.describe('The number of findings that are left to the next sweep')),
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
      .check(z.describe('The first 100 findings, oldest first')),
    errors: z
      .array(z.strictObject({ subject: z.string(), message: z.string() }))
      .check(z.describe('The first 20 things that the sweep could not read or act on')),
    at: z.iso.datetime().check(z.describe('When the sweep ended: ISO 8601, UTC')),
  })
  .check(z.describe('A sweep had findings, or did not complete. A sweep without findings sends no event.'));
export type SweepReported = z.infer<typeof SweepReported>;

/** The event of a sweep. */
export interface SweepEvent {
  type: 'SweepReported';
  detail: SweepReported;
}
