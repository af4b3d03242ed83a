import * as z from '../zod.ts';
import { CiRunner } from './ci-scope.ts';
import { Diagnostics } from './diagnostics.ts';
import { EpochMs, LaunchPlan } from './launch-state.ts';
import { AgentName, LaunchId } from './names.ts';

/**
 * Where a launch is. It only moves to the right: launching → connected → cleaning → failed or terminated. A launch may skip
 * either of the first two.
 */
export const LaunchStatus = z.enum(['launching', 'connected', 'cleaning', 'failed', 'terminated']);
export type LaunchStatus = z.infer<typeof LaunchStatus>;

/** The statuses in which a launch may have an agent. */
export const liveStatuses: readonly LaunchStatus[] = ['launching', 'connected'];

/** Why a launch is over. The first ending that is recorded stays. */
export const Ending = z.object({
  outcome: z.enum(['failed', 'terminated']),
  /** An error code of `error-codes.ts`. */
  code: z.string().check(z.minLength(1)),
  message: z.string(),
  /** Who or what asked: `github workflow_job completed (success)`, `DELETE /launches`, `the state machine`. */
  by: z.string().check(z.minLength(1)),
  atEpochMs: EpochMs,
});
export type Ending = z.infer<typeof Ending>;

/** Who ended a launch that failed in the state machine, which goes on to clean it up itself. */
export const stateMachine = 'the state machine';

/** What keeps a launch waiting, in the cluster's latest words. */
export const Signal = z.object({
  code: z.string().check(z.minLength(1)),
  /** The container that is in trouble; absent when the signal is about the whole Pod, its Service or its quota. */
  container: z.optional(z.string()),
  detail: z.string(),
  /** When this code was first seen of this container, without the Pod being seen well in between. */
  sinceEpochMs: EpochMs,
});
export type Signal = z.infer<typeof Signal>;

/** The codes of what a CI system says to an agent that joins it, among all that keeps a launch waiting. */
export const ciTroubleCodes = ['CiUnavailable', 'CiRefused', 'SecretMissing'] as const;

/** Says whether a CI system keeps the launch waiting, not its Pod. */
export function isCiTrouble({ code }: { code: string }): boolean {
  return ciTroubleCodes.some((known) => known === code);
}

/** A generation of a launch whose Pod infrastructure took before its agent had connected. */
export const Generation = z.object({
  agentName: AgentName,
  /** An error code of `error-codes.ts`. */
  code: z.string().check(z.minLength(1)),
  message: z.string(),
  endedAtEpochMs: EpochMs,
});
export type Generation = z.infer<typeof Generation>;

/**
 * The one record of a launch: in the launches table, by launch id, and what `GET /launches/{id}` shows. It outlives the
 * version that wrote it: a new field is optional or has a default, and an unknown one is ignored.
 *
 * @see docs/adr/0009-every-version-reads-the-others-data.md
 */
export const LaunchRecord = z.object({
  launchId: LaunchId,
  status: LaunchStatus,
  /** The plan of the present generation. Absent from a tombstone: a job that was over before its launch was requested. */
  plan: z.optional(LaunchPlan),
  /** The generations before the present one, oldest first. */
  generations: z.optional(z.array(Generation)),
  /** For the agent, from the caller; names are shown to people, values are not. */
  env: z.optional(z.record(z.string(), z.string())),
  /** Labels for the Pod, from the caller. */
  labels: z.optional(z.record(z.string(), z.string())),
  signal: z.optional(Signal),
  connectedAtEpochMs: z.optional(EpochMs),
  /** The registration that was begun last; its nonce decides which of several completes. */
  registration: z.optional(
    z.object({ nonce: z.string().check(z.minLength(1)), begunAtEpochMs: EpochMs, count: z.int().check(z.gte(1)) }),
  ),
  /** The runner that the agent is registered as. */
  runner: z.optional(CiRunner),
  /** When the runner was seen to be out of the CI system. */
  deregisteredAtEpochMs: z.optional(EpochMs),
  /** The job that the agent runs or ran, by `jobKeyOf`. Written once. */
  runs: z.optional(z.object({ jobKey: z.string().check(z.minLength(1)), sinceEpochMs: EpochMs })),
  /** The launch is no longer wanted: no registration begins or completes any more. */
  retiring: z.optional(z.object({ reason: z.string(), sinceEpochMs: EpochMs })),
  ending: z.optional(Ending),
  /** Present for a launch that failed. */
  diagnostics: z.optional(Diagnostics),
  /** When a sweep last asked for the launch's clean-up again. */
  cleanUpAskedAtEpochMs: z.optional(EpochMs),
  /** When everything was seen to be gone. */
  cleanedAtEpochMs: z.optional(EpochMs),
  requestedAtEpochMs: EpochMs,
  /** DynamoDB's TTL. */
  expiresAtEpochSeconds: z.int().check(z.positive()),
});
export type LaunchRecord = z.infer<typeof LaunchRecord>;

/** How long a record is kept, in seconds: longer than anything of its launch can live, so a late webhook finds it. */
export const recordRetentionSeconds = 14 * 24 * 3600;

/**
 * The longest that an agent may live, in seconds: its launch ends a day before its record expires, so every agent has a
 * record.
 */
export const longestAgentLifetimeSeconds = recordRetentionSeconds - 24 * 3600;

/** Says whether a launch's agent may still come up, be connected to, or work. */
export function isLive(record: Pick<LaunchRecord, 'status'> | undefined): boolean {
  return record !== undefined && liveStatuses.includes(record.status);
}

/** Says whether an agent is the one of its launch that may: of the present generation, in a launch that is live. */
export function isPresentAgent(record: Pick<LaunchRecord, 'status' | 'plan'> | undefined, agentName: string): boolean {
  return isLive(record) && record?.plan?.agentName === agentName;
}
