import { EpochMs } from '../epoch-ms.ts';
import * as z from '../zod.ts';
import { LaunchPlan, Port, seconds, Text } from './launch-state.ts';

// The functions outside of the state machine do not import this file: they would make its schemas when they start.

/** The times in a Pod's status, by its cluster's clock, in whole seconds. */
export const PodTimes = z.object({
  scheduledAtEpochMs: z.optional(EpochMs),
  containersStartedAtEpochMs: z.optional(EpochMs),
});
export type PodTimes = z.infer<typeof PodTimes>;

/** The steps' stamps in the data of an execution. A step that the execution has not reached has no stamp. */
export const Stamps = z.object({
  startedAtEpochMs: EpochMs,
  service: z.optional(z.object({ createdAtEpochMs: EpochMs })),
  nodePort: z.optional(z.object({ readAtEpochMs: EpochMs })),
  pod: z.optional(z.object({ createdAtEpochMs: EpochMs })),
  placement: z.optional(z.object({ placedAtEpochMs: EpochMs, seen: z.optional(PodTimes) })),
  token: z.optional(z.object({ publishedAtEpochMs: EpochMs })),
});
export type Stamps = z.infer<typeof Stamps>;

/**
 * The fields that CreatePod reports about its Pod and that the state machine of version 0.1.0 does not read. Later
 * state machines take the whole object, so that they also work with an older CreatePod: a path that does not exist
 * would end the execution.
 */
export const CreatedPod = z.object({
  /** The id of the credential in this Pod. Version 0.1.0 gave credentials no id. */
  credentialId: z.optional(z.string()),
  /** Whether this attempt made the Pod. Version 0.1.0 does not say. */
  isNew: z.optional(z.boolean()),
});

/**
 * The field that the state machine adds to a step's output: how long the next state pauses before it looks again.
 * Machines before version 0.2.0 do not add it, and pause for as long as their own Retry says.
 */
export const LookPause = z.object({ lookPauseSeconds: z.optional(seconds) });

/**
 * The data of one execution: the plan, and what each step added under a key of its own. Each step stamps when it
 * ended; the next one counts its deadline from there.
 */
export const LaunchState = z.extend(LaunchPlan, {
  service: z.object({ uid: Text, createdAtEpochMs: EpochMs }),
  nodePort: z.object({ port: Port, readAtEpochMs: EpochMs }),
  pod: z.object({ uid: Text, resourceVersion: Text, createdAtEpochMs: EpochMs, made: z.optional(CreatedPod) }),
  placement: z.object({
    host: Text,
    resourceVersion: Text,
    placedAtEpochMs: EpochMs,
    /**
     * Further fields of PollHostIP, which the state machine takes as a whole, like `made`. That of version 0.1.0 does
     * not read them.
     */
    seen: z.optional(PodTimes),
  }),
  token: z.object({ publishedAtEpochMs: EpochMs }),
  /** The output of Step Functions' Catch. */
  failure: z.object({ Error: z.string(), Cause: z.string() }),
});
export type LaunchState = z.infer<typeof LaunchState>;
