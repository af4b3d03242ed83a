import { createHash } from 'node:crypto';
import type { Profile } from './config.ts';
import type { Join } from './join.ts';
import type { LaunchRecord } from './launch-record.ts';
import { recordRetentionSeconds } from './launch-record.ts';
import type { LaunchPlan } from './launch-state.ts';
import type { LaunchId } from './names.ts';
import { agentNameOf } from './names.ts';

/** A caller's request, without the profile. */
export interface LaunchRequest {
  launchId: LaunchId;
  sourceUrl?: string | undefined;
  /** The X-Ray trace of the request. */
  traceHeader?: string | undefined;
  /** How its agent joins its CI system, if davit registers it. */
  join?: Join | undefined;
  /** The job that it is asked for because of, by `jobKeyOf`. */
  jobKey?: string | undefined;
}

/** Resolves a profile into the plan of one launch. */
export function planLaunch(profile: Profile, request: LaunchRequest, nowEpochMs: number): LaunchPlan {
  return {
    launchId: request.launchId,
    agentName: agentNameOf(request.launchId),
    profile: profile.name,
    cluster: clusterOf(profile, request.launchId),
    namespace: profile.namespace,
    expose: profile.expose,
    hostAddress: profile.hostAddress,
    agentPort: profile.agentPort,
    tls: profile.tls,
    deadlines: profile.deadlines,
    graces: profile.graces,
    ...limitsOf(profile),
    ...(request.join === undefined ? {} : { join: request.join }),
    ...(request.jobKey === undefined ? {} : { jobKey: request.jobKey }),
    ...(request.sourceUrl === undefined ? {} : { sourceUrl: request.sourceUrl }),
    ...(request.traceHeader === undefined ? {} : { traceHeader: request.traceHeader }),
    requestedAtEpochMs: nowEpochMs,
    generation: 1,
    startedAtEpochMs: nowEpochMs,
    maxRelaunches: profile.maxRelaunches,
  };
}

/** Says 1 s for none after an exit, which is the same to a sweep: an earlier version takes no plan that says 0. */
function limitsOf({
  maxAgentLifetimeSeconds,
  removeExitedAfterSeconds,
}: Profile): Pick<LaunchPlan, 'maxAgentLifetimeSeconds' | 'removeExitedAfterSeconds'> {
  return {
    ...(maxAgentLifetimeSeconds === undefined ? {} : { maxAgentLifetimeSeconds }),
    ...(removeExitedAfterSeconds === undefined
      ? {}
      : { removeExitedAfterSeconds: Math.max(1, removeExitedAfterSeconds) }),
  };
}

/** Plans the launch's next generation: the same launch under a new agent name, with new deadlines. */
export function nextGeneration(plan: LaunchPlan, nowEpochMs: number): LaunchPlan {
  const generation = plan.generation + 1;
  return { ...plan, generation, agentName: agentNameOf(plan.launchId, generation), startedAtEpochMs: nowEpochMs };
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

/** Says when the record of a request expires, in seconds since 1970-01-01T00:00:00Z. */
export function expiryOf(requestedAtEpochMs: number): number {
  return Math.ceil(requestedAtEpochMs / 1000) + recordRetentionSeconds;
}

/**
 * Chooses the cluster by a hash of the launch id: evenly, and the same cluster for each delivery of a job.
 *
 * @throws RangeError for a profile without clusters, which the config's schema does not let through
 */
function clusterOf(profile: Pick<Profile, 'name' | 'clusters'>, launchId: LaunchId): string {
  const hash = createHash('sha256').update(launchId).digest().readUInt32BE(0);
  const cluster = profile.clusters[hash % profile.clusters.length];
  if (cluster === undefined) throw new RangeError(`profile ${profile.name} has no clusters`);
  return cluster;
}
