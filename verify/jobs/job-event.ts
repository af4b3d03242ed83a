import * as z from '../../core/zod.ts';

const at = { atEpochMs: z.int(), job: z.string() };

/** What a CI system, or a person who watches it, saw of a job's attempt. `job` names the attempt, and `runner` the runner. */
export const JobEvent = z.discriminatedUnion('event', [
  z.object({ ...at, event: z.literal('queued') }),
  /** `isForeign`: another's runner, which may run any number of jobs. */
  z.object({
    ...at,
    event: z.literal('started'),
    runner: z.optional(z.string()),
    isForeign: z.optional(z.boolean()),
  }),
  /** `mayFail`: the job itself decided on its conclusion. */
  z.object({ ...at, event: z.literal('completed'), conclusion: z.string(), mayFail: z.optional(z.boolean()) }),
  /** davit said why the job has no agent. */
  z.object({ ...at, event: z.literal('explained'), why: z.string() }),
  /** Infrastructure, a person or its lifetime took the agent of the job. */
  z.object({ ...at, event: z.literal('taken'), why: z.string() }),
  /** davit asked for another attempt of the job, when this one was its latest. */
  z.object({ ...at, event: z.literal('again') }),
]);
export type JobEvent = z.infer<typeof JobEvent>;

/** A line of a history, and its number in the file, counted from 1. */
export type NumberedEvent = JobEvent & { line: number };
