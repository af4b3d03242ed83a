import * as z from '../zod.ts';

const count = z.int().check(z.gte(0));

/** The detail of a limit's event. */
export const JobsWaitForSlots = z.described(
  z.strictObject({
    id: z.described(z.string(), 'The same however often the event is sent'),
    ciSystem: z.described(z.string(), "The CI system's name in davit.yaml"),
    limit: z.described(z.string(), 'The key of the limit, such as `repository/github/acme/app` or `profile/linux`'),
    jobs: z.described(count, 'The number of jobs that wait for a slot of this limit'),
    oldestSeconds: z.described(count, 'For how long the oldest of them has been queued'),
    at: z.described(z.iso.datetime(), 'When the reconcile ended: ISO 8601, UTC'),
  }),
  'Queued jobs wait for a slot of a limit: once for each reconcile, CI system and limit. That is no fault: the limit does ' +
    'what davit.yaml asks for. If the event cannot be sent, the log alone has it.',
);
export type JobsWaitForSlots = z.infer<typeof JobsWaitForSlots>;

/** The event of a limit that jobs wait for. */
export interface LimitEvent {
  type: 'JobsWaitForSlots';
  detail: JobsWaitForSlots;
}
