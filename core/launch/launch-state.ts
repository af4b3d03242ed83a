import { AgentSize } from '../agent/agent-size.ts';
import { Join } from '../ci/join.ts';
import { EpochMs } from '../epoch-ms.ts';
import { JobSummary } from '../job/job-summary.ts';
import { LaunchSlots } from '../limits/slot-holder.ts';
import { Graces } from '../pod/graces.ts';
import { longestAgentLifetimeSeconds } from '../retention.ts';
import * as z from '../zod.ts';
import { AgentName, LaunchId, mostRelaunches } from './names.ts';

/** A text that is not empty. */
export const Text = z.string().check(z.minLength(1));

/** How the CI server reaches the agent: at its node by a NodePort, or not at all, because the agent dials out. */
export const Expose = z.enum(['nodePort', 'none']);
export type Expose = z.infer<typeof Expose>;

/**
 * The node's address at which clients reach an agent behind a NodePort: the address in its Pod's status, the one of a
 * given IP family there, or one of the Node object's addresses.
 *
 * @see https://kubernetes.io/docs/reference/node/node-status/#addresses
 */
export const HostAddress = z.enum(['hostIP', 'hostIPv4', 'hostIPv6', 'nodeInternalIP', 'nodeExternalIP']);
export type HostAddress = z.infer<typeof HostAddress>;

/** A number of seconds, at least 1. */
export const seconds = z.int().check(z.positive());
/** A TCP port. */
export const Port = z.int().check(z.gte(1), z.lte(65_535));

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

/** Dollars for an hour of one agent. */
export const PricePerHour = z.number().check(z.gte(0), z.lte(10_000));

/** The maximum sum of a profile's deadlines over all generations, in seconds. The state machine's time-out is longer. */
export const maxLaunchSeconds = 6 * 3600;

/**
 * When a launch has expired whose agent has not connected, and with it the credential in its Pod: past all deadlines of its
 * generation, with an hour for the waits between the steps.
 *
 * @returns milliseconds since 1970-01-01T00:00:00Z
 */
export function agentExpiresAtEpochMs(plan: { startedAtEpochMs: number; deadlines: Deadlines }): number {
  return plan.startedAtEpochMs + (totalSeconds(plan.deadlines) + 3600) * 1000;
}

/**
 * When the token of an agent expires: when no agent of this generation can still ask. One that stands by may be registered as
 * late as it lives.
 *
 * @returns milliseconds since 1970-01-01T00:00:00Z
 */
export function connectsUntilEpochMs(plan: LaunchPlan): number {
  const { join, maxAgentLifetimeSeconds = longestAgentLifetimeSeconds } = plan;
  return agentExpiresAtEpochMs(plan) + (join?.standsBy === true ? maxAgentLifetimeSeconds * 1000 : 0);
}

/** Adds up the deadlines of one generation, in seconds. */
export function totalSeconds(deadlines: Deadlines): number {
  return Object.values(deadlines).reduce((sum, deadline) => sum + deadline, 0);
}

/** Where a launch may move to, and when. */
export const Failover = z.object({
  /** The clusters that it has not used, in the order in which it prefers them. */
  clusters: z.array(Text),
  /** How often it has moved to another cluster. A move is no relaunch. */
  moves: z.int().check(z.gte(0)),
  /** How long its cluster may be away. */
  failoverSeconds: seconds,
  /** How long its cluster may have no room. */
  spillSeconds: seconds,
});

/**
 * The plan of a launch, and the state machine's input. davit makes it from the profile at the request, so a later
 * change of the profile does not change it. It carries no secret, and no environment of a caller (the launch's record
 * has that).
 *
 * Launches in flight survive deployments, so the previous and the next version read this schema and those of
 * execution-state.ts. A new field has a default or is optional, and readers ignore an unknown one.
 *
 * @see docs/adr/0009-every-version-reads-the-others-data.md
 */
export const LaunchPlan = z.object({
  launchId: LaunchId,
  agentName: AgentName,
  profile: Text,
  cluster: Text,
  namespace: Text,
  expose: Expose,
  hostAddress: HostAddress,
  agentPort: Port,
  tls: z.boolean(),
  deadlines: Deadlines,
  graces: Graces,
  /** How long the agent may live once it has connected; @default as long as a launch is remembered, less a day */
  maxAgentLifetimeSeconds: z.optional(seconds),
  /** How long after its agent's exit davit ends the launch; @default the launch waits for the job's `completed` */
  removeExitedAfterSeconds: z.optional(z.int().check(z.gte(0))),
  /** How long davit holds the Pod of a failed launch; @default it removes it at once */
  holdFailedSeconds: z.optional(seconds),
  /** The size that the job asked for by its labels, within the profile's maxima; absent if it asked for none. */
  size: z.optional(AgentSize),
  /** Dollars for an hour of the agent; absent if its profile has no price, or the job asked for a size. */
  pricePerHour: z.optional(PricePerHour),
  /** How the agent joins its CI system when it connects; absent for an agent that davit does not register. */
  join: z.optional(Join),
  /** The job that the launch was requested for, by `jobKeyOf`. */
  jobKey: z.optional(Text),
  /** That job, for people. The agent may run another one. */
  job: z.optional(JobSummary),
  /** The launch whose agent davit summoned for the job, a moment before it requested this one. */
  summoned: z.optional(LaunchId),
  /** Where people see the job; an annotation on the created objects. */
  sourceUrl: z.optional(z.url()),
  /** The X-Ray trace of the request for the launch: `Root=…;Parent=…;Sampled=1`. */
  traceHeader: z.optional(z.string().check(z.maxLength(256))),
  /** The launch's execution, for the steps' logs. */
  executionArn: z.optional(z.string()),
  /** The limits' slots that the launch holds until all its objects are gone; absent where no limit counts it. */
  slots: z.optional(LaunchSlots),
  requestedAtEpochMs: EpochMs,
  /** Absent for a launch with a single cluster, and from plans of version 0.1.0. */
  failover: z.optional(Failover),
  /** 1, and one more for each relaunch and each move to another cluster. */
  generation: z.int().check(z.gte(1)),
  /** The launch's state machine repeats ClusterAwayError. Those of version 0.1.0 do not. */
  waitsForCluster: z.optional(z.literal(true)),
  /** When this generation began; the first deadline counts from there. */
  startedAtEpochMs: EpochMs,
  /** How many times davit may launch again after infrastructure has taken the Pod. */
  maxRelaunches: z.int().check(z.gte(0), z.lte(mostRelaunches)),
});
export type LaunchPlan = z.infer<typeof LaunchPlan>;
