import * as z from '../zod.ts';

/** The EventBridge source of job events. */
export const jobSource = 'davit.job';

/** The detail of a refused job's event. */
export const JobRefused = z
  .strictObject({
    id: z
      .string()
      .check(
        z.describe("The same however often the event is sent: the job's key, type and refusal, with slashes between"),
      ),
    ciSystem: z.string().check(z.describe("The CI system's name in davit.yaml")),
    job: z
      .strictObject({
        key: z
          .string()
          .check(z.minLength(1), z.describe("The CI system's name, the repository's id, the job's id, the attempt")),
        name: z.string(),
        repository: z.optional(z.string()).check(z.describe('OWNER/NAME. With `Repository`, it is the one at fault')),
        workflow: z.optional(z.string()),
        runId: z.optional(z.int()).check(z.describe("The workflow's run")),
        attempt: z.int().check(z.gte(1), z.describe('Counts from 1')),
        url: z.optional(z.string()).check(z.describe('Where people see the job')),
      })
      .check(z.describe('The job, which gets no agent')),
    refusal: z
      .enum(['Repository', 'Size'])
      .check(
        z.describe(
          'The part at fault: the repository, by `repositories` of the profile, or a size that the job asks for',
        ),
      ),
    reason: z.string().check(z.describe('The reason, for people, as in the answer to the webhook')),
    profile: z.string().check(z.describe("The profile that has the job's labels, and refuses it")),
    label: z.optional(z.string()).check(z.describe('With `Size`: the label at fault, such as `davit/cpu=64`')),
    at: z.iso.datetime().check(z.describe('When davit refused it: ISO 8601, UTC')),
  })
  .check(
    z.describe(
      "A profile has a queued job's labels and refuses the job: when its webhook arrives, or a poll or reconciling finds it. A repeated " +
        'webhook repeats the event. A job whose labels no profile has is not refused: it may be for other runners.',
    ),
  );
export type JobRefused = z.infer<typeof JobRefused>;

/** The event of a refused job. */
export interface JobRefusedEvent {
  type: 'JobRefused';
  detail: JobRefused;
}
