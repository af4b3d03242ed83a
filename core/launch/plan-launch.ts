import type { AgentSize } from '../agent/agent-size.ts';
import type { Join } from '../ci/join.ts';
import type { Profile } from '../config/config.ts';
import type { JobSummary } from '../job/job-summary.ts';
import { present } from '../present.ts';
import { expiryOf } from '../retention.ts';
import type { LaunchRecord } from './launch-record.ts';
import type { LaunchPlan } from './launch-state.ts';
import { agentNameOf, type LaunchId } from './names.ts';
import { preferredClusters } from './preferred-clusters.ts';

/** A caller's request, without the profile. */
export interface LaunchRequest {
  launchId: LaunchId;
  sourceUrl?: string | undefined;
  /** The X-Ray trace of the request. */
  traceHeader?: string | undefined;
  /** How its agent joins its CI system, if davit registers it. */
  join?: Join | undefined;
  /** The size that the job asks for. @default none: the profile's own */
  size?: AgentSize | undefined;
  /** The job that it is requested for, by `jobKeyOf`. */
  jobKey?: string | undefined;
  /** That job, for people. */
  job?: JobSummary | undefined;
  /** The launch whose agent was summoned for the job. @default none */
  summoned?: LaunchId | undefined;
}

/**
 * Resolves a profile into the plan of one launch.
 *
 * @param away the disconnected clusters: the launch goes to another one, if there is one
 * @throws RangeError for a profile without clusters, which the config's schema does not let through
 */
export function planLaunch(
  profile: Profile,
  request: LaunchRequest,
  nowEpochMs: number,
  away: ReadonlySet<string> = new Set(),
): LaunchPlan {
  return {
    launchId: request.launchId,
    agentName: agentNameOf(request.launchId),
    profile: profile.name,
    ...placeOf(profile, request.launchId, away),
    namespace: profile.namespace,
    expose: profile.expose,
    hostAddress: profile.hostAddress,
    agentPort: profile.agentPort,
    tls: profile.tls,
    deadlines: profile.deadlines,
    graces: profile.graces,
    ...limitsOf(profile),
    ...(request.size === undefined ? {} : { size: request.size }),
    ...priceOf(profile, request),
    ...present({
      join: request.join,
      jobKey: request.jobKey,
      job: request.job,
      summoned: request.summoned,
      sourceUrl: request.sourceUrl,
      traceHeader: request.traceHeader,
    }),
    requestedAtEpochMs: nowEpochMs,
    generation: 1,
    waitsForCluster: true,
    startedAtEpochMs: nowEpochMs,
    maxRelaunches: profile.maxRelaunches,
  };
}

/** An agent of another size has another price. */
function priceOf({ pricePerHour }: Profile, { size = {} }: LaunchRequest): Pick<LaunchPlan, 'pricePerHour'> {
  const isSized = Object.keys(size).length > 0;
  return pricePerHour === undefined || isSized ? {} : { pricePerHour };
}

function limitsOf({
  maxAgentLifetimeSeconds,
  removeExitedAfterSeconds,
  holdFailedSeconds,
}: Profile): Pick<LaunchPlan, 'maxAgentLifetimeSeconds' | 'removeExitedAfterSeconds' | 'holdFailedSeconds'> {
  return present({ maxAgentLifetimeSeconds, removeExitedAfterSeconds, holdFailedSeconds });
}

/** Plans the launch's next generation: the same launch under a new agent name, with new deadlines. */
export function nextGeneration(plan: LaunchPlan, nowEpochMs: number): LaunchPlan {
  const generation = plan.generation + 1;
  return { ...plan, generation, agentName: agentNameOf(plan.launchId, generation), startedAtEpochMs: nowEpochMs };
}

/**
 * Plans the launch's next generation on another cluster, which it has not used yet.
 *
 * @param away the clusters that are known to be away: the launch goes to one of the others, if there is one
 * @returns undefined for a launch that has used all its clusters
 */
export function nextGenerationElsewhere(
  plan: LaunchPlan,
  nowEpochMs: number,
  away: ReadonlySet<string>,
): LaunchPlan | undefined {
  const { failover } = plan;
  const cluster = firstThere(failover?.clusters ?? [], away);
  if (failover === undefined || cluster === undefined) return undefined;
  const clusters = failover.clusters.filter((other) => other !== cluster);
  return {
    ...nextGeneration(plan, nowEpochMs),
    cluster,
    failover: { ...failover, clusters, moves: failover.moves + 1 },
  };
}

/** Counts how often infrastructure has taken the launch's Pod. */
export function relaunchesOf({ generation, failover }: Pick<LaunchPlan, 'generation' | 'failover'>): number {
  return generation - 1 - (failover?.moves ?? 0);
}

/**
 * Makes the record of a new launch.
 *
 * @param given the caller's environment and labels for the Pod; davit keeps the values nowhere else
 */
export function newRecord(plan: LaunchPlan, given: Pick<LaunchRecord, 'env' | 'labels'> = {}): LaunchRecord {
  return {
    launchId: plan.launchId,
    status: 'launching',
    plan,
    ...given,
    requestedAtEpochMs: plan.requestedAtEpochMs,
    expiresAtEpochSeconds: expiryOf(plan.requestedAtEpochMs),
  };
}

/** Chooses the cluster, and where the launch may move to from there. */
function placeOf(
  { name, failoverSeconds, spillSeconds, ...profile }: Profile,
  launchId: LaunchId,
  away: ReadonlySet<string>,
): Pick<LaunchPlan, 'cluster' | 'failover'> {
  const preferred = preferredClusters(profile, launchId);
  const cluster = firstThere(preferred, away);
  if (cluster === undefined) throw new RangeError(`profile ${name} has no clusters`);
  const clusters = preferred.filter((other) => other !== cluster);
  return clusters.length === 0
    ? { cluster }
    : { cluster, failover: { clusters, moves: 0, failoverSeconds, spillSeconds } };
}

/** Finds the first cluster that is not away, or else the first. */
function firstThere(clusters: readonly string[], away: ReadonlySet<string>): string | undefined {
  return clusters.find((name) => !away.has(name)) ?? clusters[0];
}
