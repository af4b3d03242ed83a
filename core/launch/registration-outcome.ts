import * as z from '../zod.ts';

/** The outcome of registering an agent. */
export const RegistrationOutcome = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('registered'),
    /** Environment variables for the agent. Their values are secrets. */
    environment: z.record(z.string(), z.string()),
  }),
  /** Another registration of the same agent has begun in the meantime. */
  z.object({ outcome: z.literal('superseded') }),
  /** The launch is over or retiring, or its agent has had its job. */
  z.object({ outcome: z.literal('over') }),
  z.object({
    outcome: z.literal('unavailable'),
    /** An error code of `error-codes.ts`. */
    code: z.string(),
    /** The CI system's own words, or why davit does not ask it yet. */
    detail: z.string(),
    /** When the agent asks again, where davit knows it. @default soon */
    retryAfterSeconds: z.optional(z.int().check(z.gte(1))),
  }),
]);
export type RegistrationOutcome = z.infer<typeof RegistrationOutcome>;
