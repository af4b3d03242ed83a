import * as z from '../zod.ts';

const count = z.int().check(z.gte(0));

/** The EventBridge source of sweep events. */
export const sweepSource = 'davit.sweep';

/** The detail of a sweep's event: its findings and actions. Long lists are truncated. */
export const SweepReported = z.described(
  z.strictObject({
    id: z.described(z.string(), 'The same however often the event is sent'),
    complete: z.described(z.boolean(), 'Whether the sweep looked at everything and acted on every finding'),
    found: z.described(z.record(z.string(), count), 'The number of findings, by reason'),
    done: z.described(z.record(z.string(), count), 'The number of findings, by what the sweep did about them'),
    left: z.described(count, 'The number of findings that are left to the next sweep'),
    findings: z.described(
      z.array(
        z.strictObject({
          kind: z.enum(['Service', 'Pod', 'Launch']),
          launchId: z.string(),
          reason: z.string(),
          outcome: z.string(),
          cluster: z.optional(z.string()),
          namespace: z.optional(z.string()),
          name: z.optional(z.string()),
        }),
      ),
      'The first 100 findings, oldest first',
    ),
    errors: z.described(
      z.array(z.strictObject({ subject: z.string(), message: z.string() })),
      'The first 20 things that the sweep could not read or act on',
    ),
    at: z.described(z.iso.datetime(), 'When the sweep ended: ISO 8601, UTC'),
  }),
  'A sweep had findings, or did not complete. A sweep without findings sends no event.',
);
export type SweepReported = z.infer<typeof SweepReported>;

/** The event of a sweep. */
export interface SweepEvent {
  type: 'SweepReported';
  detail: SweepReported;
}
