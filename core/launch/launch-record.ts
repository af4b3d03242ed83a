import { CiRunner, type RepositoryName } from '../ci/ci-scope.ts';
import { EpochMs } from '../epoch-ms.ts';
import { JobSummary } from '../job/job-summary.ts';
import { Diagnostics } from '../pod/diagnostics.ts';
import * as z from '../zod.ts';
import { LaunchPlan, Text } from './launch-state.ts';
import { AgentName, LaunchId } from './names.ts';
import { Timeline } from './timeline.ts';

/**
 * The status of a launch. It only moves to the right: launching → connected → cleaning → failed or terminated. A launch
 * may skip either of the first two.
 */
export const LaunchStatus = z.enum(['launching', 'connected', 'cleaning', 'failed', 'terminated']);
export type LaunchStatus = z.infer<typeof LaunchStatus>;

/** The statuses in which a launch may have an agent. */
export const liveStatuses: readonly LaunchStatus[] = ['launching', 'connected'];

/** The actor that ended a launch, for audits. */
export const Actor = z.object({
  /** A person or another caller of the API, a CI system, a rule of davit's own, or a service of AWS. */
  kind: z.enum(['person', 'ciSystem', 'davit', 'aws']),
  /**
   * The ARN of the caller's IAM identity; the CI system's configured name; the rule, as `sweep/AgentExited`; the service
   * (CloudTrail shows its caller).
   */
  name: Text,
});
export type Actor = z.infer<typeof Actor>;

/** Why a launch is over. The first recorded ending stays. */
export const Ending = z.object({
  outcome: z.enum(['failed', 'terminated']),
  /** An error code of `error-codes.ts`. */
  code: Text,
  message: z.string(),
  /**
   * What ended the launch, for people: `github workflow_job completed (success)`, `DELETE /launches`,
   * `the state machine`.
   */
  by: Text,
  /** The same, for audits. Version 0.1.0 wrote none. */
  actor: z.optional(Actor),
  /** Whether infrastructure took an agent that had connected: its Pod is gone or was evicted, or its node is lost. */
  isLoss: z.optional(z.literal(true)),
  atEpochMs: EpochMs,
});
export type Ending = z.infer<typeof Ending>;

/** An ending in today's form. */
export type AttributedEnding = Ending & { actor: Actor };

/** The name in `by` for a launch that failed in the state machine, which cleans up the launch itself. */
export const stateMachine = 'the state machine';

/** The name in `by` for a launch whose agent exited, or is gone. */
export const agentExited = 'the agent exited';

/** The reason why a launch waits, in the cluster's latest words. */
export const Signal = z.object({
  code: Text,
  /** The container that is in trouble; absent when the signal is about the whole Pod, its Service or its quota. */
  container: z.optional(z.string()),
  detail: z.string(),
  /** When davit first saw this code for this container; restarts when davit has seen the Pod healthy in between. */
  sinceEpochMs: EpochMs,
});
export type Signal = z.infer<typeof Signal>;

/** What the Pod of a launch that waits said last: its phase, its conditions and its containers, in the cluster's words. */
export const PodState = z.object({ detail: z.string(), atEpochMs: EpochMs });
export type PodState = z.infer<typeof PodState>;

/** The codes of signals that come from a CI system and not from the cluster. */
export const ciTroubleCodes = ['CiUnavailable', 'CiRefused', 'SecretMissing'] as const;

/** Says whether a CI system, and not the Pod, keeps the launch waiting. */
export function isCiTrouble({ code }: { code: string }): boolean {
  return ciTroubleCodes.some((known) => known === code);
}

/**
 * A generation of a launch that ended before its agent had connected: infrastructure took its Pod, or the launch moved to
 * another cluster. A clean-up looks for its objects in its cluster.
 */
export const Generation = z.object({
  agentName: AgentName,
  /** Its cluster. Version 0.1.0 wrote none, and never changed it. */
  cluster: z.optional(Text),
  /** An error code of `error-codes.ts`. */
  code: Text,
  message: z.string(),
  endedAtEpochMs: EpochMs,
  /** How far it came. The first generation began with the request, each later one when the one before it ended. */
  timeline: z.optional(Timeline),
});
export type Generation = z.infer<typeof Generation>;

/** The time for which davit leaves the Pod of a failed launch in its cluster, for a person who looks at it. */
export const Hold = z.object({
  untilEpochMs: EpochMs,
  /** When a person or a sweep ended the hold: from then on, a clean-up removes everything. */
  releasedAtEpochMs: z.optional(EpochMs),
});
export type Hold = z.infer<typeof Hold>;

/** Clusters that davit.yaml no longer had when the launch was cleaned up: davit has not looked there. */
export const LeftBehind = z.object({ clusters: z.array(z.string()), atEpochMs: EpochMs });
export type LeftBehind = z.infer<typeof LeftBehind>;

/** Since when an agent stands by, and whether it was summoned. */
export const Standby = z.object({
  sinceEpochMs: EpochMs,
  /** How often the credential was renewed that the agent asked with last: davit accepts no earlier one. @default never */
  renewals: z.optional(z.int().check(z.gte(1))),
  /** `jobKey`: by `jobKeyOf`. The agent may run another job. */
  summons: z.optional(z.object({ jobKey: Text, atEpochMs: EpochMs })),
});
export type Standby = z.infer<typeof Standby>;

/** The job that an agent runs or ran. */
export const JobRun = z.object({
  /** By `jobKeyOf`. */
  jobKey: Text,
  /** When davit learned of it. */
  sinceEpochMs: EpochMs,
  /** The job for people. */
  job: z.optional(JobSummary),
  /** Where people see the job. */
  url: z.optional(z.string()),
});
export type JobRun = z.infer<typeof JobRun>;

/** The runner that ran a job, by what its CI system says: its name is anybody's choice. */
export interface RunnerOfJob {
  /** The CI system's configured name. */
  ciSystem: string;
  id: number;
  /** The repository of the job. */
  repository: RepositoryName;
}

/** The end of the job that an agent ran. */
export const JobEnd = z.object({ conclusion: z.optional(z.string()), atEpochMs: EpochMs });
export type JobEnd = z.infer<typeof JobEnd>;

/** The job that an agent runs or ran, and how it ended, once it has. */
export type BoundJob = Omit<JobRun, 'sinceEpochMs'> & { end?: JobEnd };

/** The launches that `end` leaves alone, and what else it writes. */
export interface EndOptions {
  /** Leaves a launch whose agent has connected alone. @default false */
  unlessConnected?: boolean;
  /** Leaves a launch that joins a CI system alone: only its runner's id says what its agent runs. @default false */
  unlessJoined?: boolean;
  /** Leaves a live launch alone: only its absence matters. @default false */
  unlessLive?: boolean;
  /** Leaves a launch whose agent runs a job alone. @default false */
  unlessRunning?: boolean;
  /** How far this agent's generation came, as its execution knows: added to the record's timeline of that generation. */
  reached?: { agentName: string; timeline: Timeline };
}

/**
 * The one record of a launch, in the launches table, by launch id. `GET /launches/{id}` shows it. It outlives the version
 * that wrote it, so a new field is optional or has a default, and readers ignore unknown fields.
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
  /** The caller's variables for the agent. davit shows people the names, but not the values. */
  env: z.optional(z.record(z.string(), z.string())),
  /** Labels for the Pod, from the caller. */
  labels: z.optional(z.record(z.string(), z.string())),
  signal: z.optional(Signal),
  /** Written while a launch waits for longer than a usual one does. */
  podState: z.optional(PodState),
  /**
   * How far the present generation has come. davit writes it together with a signal, the Pod's state, the connection, the
   * ending or the removal, and when the step after the token's publication fails.
   */
  timeline: z.optional(Timeline),
  connectedAtEpochMs: z.optional(EpochMs),
  /**
   * Present for an agent that came when no job waited for it: it is not registered before it is summoned, for a job of its
   * pool. The first summons stays.
   */
  standby: z.optional(Standby),
  /**
   * The latest registration. If several are under way, only the one with this nonce completes. A registration begins
   * when API Gateway receives the agent's request.
   */
  registration: z.optional(
    z.object({
      nonce: Text,
      begunAtEpochMs: EpochMs,
      count: z.int().check(z.gte(1)),
      /** Whether register-runner has taken this registration or an earlier one: it may have asked the CI system. */
      isTaken: z.optional(z.literal(true)),
      /** Whether it has completed. Until then, register-runner may have removed the runner of an earlier one. */
      isComplete: z.optional(z.literal(true)),
    }),
  ),
  /** The runner that the agent is registered as. */
  runner: z.optional(CiRunner),
  /** When davit saw that the runner was gone from the CI system. */
  deregisteredAtEpochMs: z.optional(EpochMs),
  /** The job that the agent runs or ran. Written once. */
  runs: z.optional(JobRun),
  /** How that job ended, as its CI system says. Written once. */
  ran: z.optional(JobEnd),
  /** The launch is no longer needed: no registration begins or completes any more. */
  retiring: z.optional(z.object({ reason: z.string(), sinceEpochMs: EpochMs })),
  ending: z.optional(Ending),
  /** Present for a launch that failed before its agent had connected, in a profile with `holdFailedSeconds`. */
  hold: z.optional(Hold),
  /** Present for a launch that failed. */
  diagnostics: z.optional(Diagnostics),
  /** When a sweep last requested the launch's clean-up again. */
  cleanUpAskedAtEpochMs: z.optional(EpochMs),
  /** When everything was seen to be gone. */
  cleanedAtEpochMs: z.optional(EpochMs),
  /** Instead of that moment, for a launch that may have left objects. */
  left: z.optional(LeftBehind),
  requestedAtEpochMs: EpochMs,
  /** DynamoDB's TTL. */
  expiresAtEpochSeconds: z.int().check(z.positive()),
});
export type LaunchRecord = z.infer<typeof LaunchRecord>;

/** Says whether a launch is over and all its objects are gone, as far as davit can see. */
export function isOver({ status }: Pick<LaunchRecord, 'status'>): boolean {
  return status === 'failed' || status === 'terminated';
}

/** Says whether a clean-up leaves a launch's present Pod alone, for a person who looks at it. */
export function isHeld<Held extends Pick<LaunchRecord, 'status' | 'hold'>>(
  record: Held,
): record is Held & { hold: Hold } {
  const { status, hold } = record;
  return status === 'cleaning' && hold !== undefined && hold.releasedAtEpochMs === undefined;
}

/** Says when the removal of everything began: at the end of the hold, or else of the launch. */
export function removalBeganAtEpochMs({
  hold,
  ending,
  requestedAtEpochMs,
}: Pick<LaunchRecord, 'hold' | 'ending' | 'requestedAtEpochMs'>): number {
  return hold?.releasedAtEpochMs ?? ending?.atEpochMs ?? requestedAtEpochMs;
}

/** Names the clusters in which a launch may have objects, the present one first. */
export function clustersOf({ plan, generations = [] }: Pick<LaunchRecord, 'plan' | 'generations'>): string[] {
  if (plan === undefined) return [];
  return [...new Set([plan.cluster, ...generations.flatMap(({ cluster }) => cluster ?? [])])];
}

/** Says whether a launch's agent may still come up, connect, or work. */
export function isLive(record: Pick<LaunchRecord, 'status'> | undefined): boolean {
  return record !== undefined && liveStatuses.includes(record.status);
}

/**
 * Says whether an agent is the present agent of its launch: the launch is live, and the agent is of its present
 * generation.
 */
export function isPresentAgent(record: Pick<LaunchRecord, 'status' | 'plan'> | undefined, agentName: string): boolean {
  return isLive(record) && record?.plan?.agentName === agentName;
}

/**
 * Says whether an agent may join its CI system: it is the present agent of a launch that is not retiring and runs nothing.
 * Once this is false, it stays false.
 */
export function isJoinable(
  record: Pick<LaunchRecord, 'status' | 'plan' | 'retiring' | 'runs'> | undefined,
  agentName: string,
): boolean {
  return isPresentAgent(record, agentName) && record?.retiring === undefined && record?.runs === undefined;
}

/** Says whether a live launch's agent stands by: it waits, without a registration, until it is summoned for a job. */
export function isStandingBy(record: Pick<LaunchRecord, 'status' | 'standby' | 'retiring'> | undefined): boolean {
  const { standby, retiring } = record ?? {};
  return isLive(record) && standby !== undefined && standby.summons === undefined && retiring === undefined;
}
