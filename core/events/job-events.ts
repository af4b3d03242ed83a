import * as z from '../zod.ts';

/** The EventBridge source of job events. */
export const jobSource = 'davit.job';

/** The detail of a refused job's event. */
export const JobRefused = z.described(
  z.strictObject({
    id: z.described(
      z.string(),
      "The same however often the event is sent: the job's key, type and refusal, with slashes between",
    ),
    ciSystem: z.described(z.string(), "The CI system's name in davit.yaml"),
    job: z.described(
      z.strictObject({
        key: z
          .string()
          .check(z.minLength(1), z.describe("The CI system's name, the repository's id, the job's id, the attempt")),
        name: z.string(),
        repository: z.described(z.optional(z.string()), 'OWNER/NAME. With `Repository`, it is the one at fault'),
        workflow: z.optional(z.string()),
        runId: z.described(z.optional(z.int()), "The workflow's run"),
        attempt: z.int().check(z.gte(1), z.describe('Counts from 1')),
        url: z.described(z.optional(z.string()), 'Where people see the job'),
      }),
      'The job, which gets no agent',
    ),
    refusal: z.described(
      z.enum(['Repository', 'Size']),
      'The part at fault: the repository, by `repositories` of the profile, or a size that the job asks for',
    ),
    reason: z.described(z.string(), 'The reason, for people, as in the answer to the webhook'),
    profile: z.described(z.string(), "The profile that has the job's labels, and refuses it"),
    label: z.described(z.optional(z.string()), 'With `Size`: the label at fault, such as `davit/cpu=64`'),
    at: z.described(z.iso.datetime(), 'When davit refused it: ISO 8601, UTC'),
  }),
  "A profile has a queued job's labels and refuses the job: when its webhook arrives, or a poll or reconciling finds it. A repeated " +
    'webhook repeats the event. A job whose labels no profile has is not refused: it may be for other runners.',
);
export type JobRefused = z.infer<typeof JobRefused>;

/** The event of a refused job. */
export interface JobRefusedEvent {
  type: 'JobRefused';
  detail: JobRefused;
}
