import * as z from '../zod.ts';
import { Join } from './join.ts';
import { AgentName, LaunchId, mostRelaunches } from './names.ts';

/** A moment, in milliseconds since 1970-01-01T00:00:00Z. */
export const EpochMs = z.int().check(z.positive());

/** Where the agent is reached: at its node by a NodePort, or nowhere but at its Pod (it dials out). */
export const Expose = z.enum(['nodePort', 'none']);
export type Expose = z.infer<typeof Expose>;

/**
 * The node's address at which clients reach an agent behind a NodePort: the one in its Pod's status, the one of a family
 * among those, or one of the Node's own.
 *
 * @see https://kubernetes.io/docs/reference/node/node-status/#addresses
 */
export const HostAddress = z.enum(['hostIP', 'hostIPv4', 'hostIPv6', 'nodeInternalIP', 'nodeExternalIP']);
export type HostAddress = z.infer<typeof HostAddress>;

const seconds = z.int().check(z.positive());

/**
 * How long each wait may take: in seconds from the first entry into its step. A full quota and a full node-port range
 * count from the cluster's first report, over all steps of a generation.
 */
export const Deadlines = z.object({
  serviceSeconds: seconds,
  nodePortSeconds: seconds,
  podSeconds: seconds,
  placementSeconds: seconds,
  publishSeconds: seconds,
  connectSeconds: seconds,
  quotaSeconds: seconds,
  nodePortRangeSeconds: seconds,
});
export type Deadlines = z.infer<typeof Deadlines>;

const graceSeconds = seconds.check(z.lte(3600));

/** How long a Pod's trouble that may pass by itself is waited for, in seconds from when it was first seen. */
export const Graces = z.object({
  imagePullSeconds: graceSeconds.check(z.describe('For an image that cannot be pulled')),
  containerSeconds: graceSeconds.check(z.describe("For a container or a Pod's sandbox that cannot be made or started")),
});
export type Graces = z.infer<typeof Graces>;

/** What the deadlines of a profile may add up to over all generations, in seconds; the machine's time-out is above it. */
export const maxLaunchSeconds = 6 * 3600;

/**
 * When davit stops accepting an agent's credential and token: past all deadlines of its generation, with an hour
 * for the waits between the steps.
 *
 * @returns milliseconds since 1970-01-01T00:00:00Z
 */
export function agentExpiresAtEpochMs(plan: { startedAtEpochMs: number; deadlines: Deadlines }): number {
  return plan.startedAtEpochMs + (totalSeconds(plan.deadlines) + 3600) * 1000;
}

/** Adds up the deadlines of one generation, in seconds. */
export function totalSeconds(deadlines: Deadlines): number {
  return Object.values(deadlines).reduce((sum, deadline) => sum + deadline, 0);
}

/**
 * The state machine's input: what a launch does, resolved from its profile when the launch is requested. A deployment that
 * changes the profile does not change it. It carries no secret, and no environment of a caller (the launch's record has
 * that).
 *
 * Launches in flight survive deployments, so the version before and the version after read this and all below. A new
 * field has a default or is optional, and readers ignore an unknown one.
 *
 * @see docs/adr/0009-every-version-reads-the-others-data.md
 */
export const LaunchPlan = z.object({
  launchId: LaunchId,
  agentName: AgentName,
  profile: z.string().check(z.minLength(1)),
  cluster: z.string().check(z.minLength(1)),
  namespace: z.string().check(z.minLength(1)),
  expose: Expose,
  hostAddress: HostAddress,
  agentPort: z.int().check(z.gte(1), z.lte(65_535)),
  tls: z.boolean(),
  deadlines: Deadlines,
  graces: Graces,
  /** How long the agent may live once it has connected; @default as long as a launch is remembered, less a day */
  maxAgentLifetimeSeconds: z.optional(seconds),
  /** How long after the agent has exited its launch is ended; @default it is not, but waits for its `completed` */
  removeExitedAfterSeconds: z.optional(seconds),
  /** How the agent joins its CI system when it connects; absent for an agent that davit does not register. */
  join: z.optional(Join),
  /** The job that the launch was asked for because of, by `jobKeyOf`. */
  jobKey: z.optional(z.string().check(z.minLength(1))),
  /** Where the job is to be seen; an annotation on what is created. */
  sourceUrl: z.optional(z.url()),
  /** The X-Ray trace of the request that the launch was asked for by: `Root=…;Parent=…;Sampled=1`. */
  traceHeader: z.optional(z.string().check(z.maxLength(256))),
  /** The launch's execution, for the steps' logs. */
  executionArn: z.optional(z.string()),
  requestedAtEpochMs: EpochMs,
  /** 1, and one more for each relaunch. */
  generation: z.int().check(z.gte(1)),
  /** When this generation began; the first deadline counts from there. */
  startedAtEpochMs: EpochMs,
  /** How often the launch may be tried again when infrastructure takes its Pod. */
  maxRelaunches: z.int().check(z.gte(0), z.lte(mostRelaunches)),
});
export type LaunchPlan = z.infer<typeof LaunchPlan>;

/**
 * What CreatePod reports about its Pod in addition to what the first state machine takes. A state machine that takes the
 * whole object works with an older CreatePod; a path that does not exist would end the execution.
 */
export const CreatedPod = z.object({
  /** The id of the credential in this Pod. Version 0.1.0 gave credentials no id. */
  credentialId: z.optional(z.string()),
  /** Whether this attempt made the Pod. Version 0.1.0 does not say. */
  isNew: z.optional(z.boolean()),
});

/**
 * What the state machine adds to a step's output: how long the next state pauses before it looks again. Machines before
 * version 0.2.0 add nothing, and pause for as long as their own Retry says.
 */
export const LookPause = z.object({ lookPauseSeconds: z.optional(seconds) });

/**
 * The data of one execution: the plan, and what each step added under a key of its own. Each step stamps when it
 * ended; the next one counts its deadline from there.
 */
export const LaunchState = z.extend(LaunchPlan, {
  service: z.object({ uid: z.string().check(z.minLength(1)), createdAtEpochMs: EpochMs }),
  nodePort: z.object({ port: z.int().check(z.gte(1), z.lte(65_535)), readAtEpochMs: EpochMs }),
  pod: z.object({
    uid: z.string().check(z.minLength(1)),
    resourceVersion: z.string().check(z.minLength(1)),
    createdAtEpochMs: EpochMs,
    made: z.optional(CreatedPod),
  }),
  placement: z.object({
    host: z.string().check(z.minLength(1)),
    resourceVersion: z.string().check(z.minLength(1)),
    placedAtEpochMs: EpochMs,
  }),
  token: z.object({ publishedAtEpochMs: EpochMs }),
  agent: z.object({ connectedAtEpochMs: EpochMs }),
  /** What Step Functions' Catch puts there. */
  failure: z.object({ Error: z.string(), Cause: z.string() }),
});
export type LaunchState = z.infer<typeof LaunchState>;
