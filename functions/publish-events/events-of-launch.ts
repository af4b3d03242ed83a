import { isoTime } from '../../core/epoch-ms.ts';
import type { LifecycleEvent, LifecycleEventType } from '../../core/events/lifecycle-events.ts';
import type { CompletedToken } from '../../core/launch/completed-token.ts';
import { type JobRun, type LaunchRecord, removalBeganAtEpochMs } from '../../core/launch/launch-record.ts';
import type { LaunchPlan } from '../../core/launch/launch-state.ts';
import { generationOf } from '../../core/launch/names.ts';

/** The record of a real launch. A tombstone is none: its job completed before davit received its `queued`. */
type Launched = LaunchRecord & { plan: LaunchPlan };

/**
 * Returns the events between two states of a launch's record. A change of any other field has no event.
 *
 * @param before undefined for a new record
 */
export function eventsOfLaunch(before: LaunchRecord | undefined, after: LaunchRecord): LifecycleEvent[] {
  if (!isLaunched(after)) return [];
  return [
    ...(before === undefined ? [requested(after)] : []),
    ...relaunched(before, after),
    ...(before?.connectedAtEpochMs === undefined ? connected(after) : []),
    ...(before?.runs === undefined ? jobStarted(after) : []),
    ...(before?.ran === undefined ? jobFinished(after) : []),
    ...(before?.ending === undefined ? ended(after) : []),
    ...(before?.cleanedAtEpochMs === undefined ? cleaned(after) : []),
    ...(before?.left === undefined ? leftBehind(after) : []),
  ];
}

/** Makes the event that an agent's address is known, because davit has published its token. */
export function agentPlaced(token: CompletedToken, plan: LaunchPlan): LifecycleEvent {
  const { agentName, host, port, tls, publishedAt, expiresAt } = token;
  const generation = generationOf(agentName);
  const subject = aboutOf('AgentPlaced', { ...plan, agentName, generation }, Date.parse(publishedAt));
  return { type: 'AgentPlaced', detail: { ...subject, host, port, tls, expiresAt } };
}

function isLaunched(record: LaunchRecord): record is Launched {
  return record.plan !== undefined;
}

function requested({ plan, requestedAtEpochMs }: Launched): LifecycleEvent {
  return { type: 'LaunchRequested', detail: aboutOf('LaunchRequested', plan, requestedAtEpochMs) };
}

function relaunched(before: LaunchRecord | undefined, { plan, generations = [] }: Launched): LifecycleEvent[] {
  const knownBefore = before?.generations?.length ?? 0;
  return generations.slice(knownBefore).map((left, index) => {
    const { agentName: endedAgentName, cluster: endedCluster, code, message, endedAtEpochMs } = left;
    const generation = knownBefore + index + 2;
    const { agentName, cluster = plan.cluster } = generations[generation - 1] ?? plan;
    const subject = aboutOf('LaunchRelaunched', { ...plan, agentName, cluster, generation }, endedAtEpochMs);
    const previous = { endedAgentName, ...(endedCluster === undefined ? {} : { endedCluster }) };
    return { type: 'LaunchRelaunched', detail: { ...subject, ...previous, code, message } };
  });
}

function connected({ plan, connectedAtEpochMs, requestedAtEpochMs }: Launched): LifecycleEvent[] {
  if (connectedAtEpochMs === undefined) return [];
  const subject = aboutOf('AgentConnected', plan, connectedAtEpochMs);
  const timeToAgentMs = since(requestedAtEpochMs, connectedAtEpochMs);
  return [{ type: 'AgentConnected', detail: { ...subject, timeToAgentMs } }];
}

function jobStarted({ plan, runs }: Launched): LifecycleEvent[] {
  if (runs === undefined) return [];
  const startedAtEpochMs = startOf(runs);
  const { queuedAtEpochMs } = runs.job ?? {};
  const waited = queuedAtEpochMs === undefined ? {} : { queuedMs: since(queuedAtEpochMs, startedAtEpochMs) };
  const subject = aboutOf('JobStarted', plan, startedAtEpochMs);
  return [{ type: 'JobStarted', detail: { ...subject, job: jobOf(runs), ...waited } }];
}

function jobFinished({ plan, runs, ran }: Launched): LifecycleEvent[] {
  if (runs === undefined || ran === undefined) return [];
  const { conclusion, atEpochMs } = ran;
  const subject = aboutOf('JobFinished', plan, atEpochMs);
  const result = { ...(conclusion === undefined ? {} : { conclusion }), ranMs: since(startOf(runs), atEpochMs) };
  return [{ type: 'JobFinished', detail: { ...subject, job: jobOf(runs), ...result } }];
}

/** The CI system's time, by the same clock as the time of queueing; otherwise the time when davit learned of it. */
function startOf({ job, sinceEpochMs }: JobRun): number {
  return job?.startedAtEpochMs ?? sinceEpochMs;
}

function jobOf({ jobKey: key, job, url }: JobRun) {
  const { queuedAtEpochMs: _queued, startedAtEpochMs: _started, ...known } = job ?? {};
  return { key, ...known, ...(url === undefined ? {} : { url }) };
}

function ended({ plan, ending, connectedAtEpochMs }: Launched): LifecycleEvent[] {
  if (ending === undefined) return [];
  const { outcome, code, message, by, actor, atEpochMs } = ending;
  const type = outcome === 'failed' ? 'LaunchFailed' : 'LaunchTerminated';
  const why = { code, message, by, ...(actor && { actor }), connected: connectedAtEpochMs !== undefined };
  return [{ type, detail: { ...aboutOf(type, plan, atEpochMs), ...why } }];
}

function cleaned(record: Launched): LifecycleEvent[] {
  const { plan, ending, cleanedAtEpochMs } = record;
  if (cleanedAtEpochMs === undefined || ending === undefined) return [];
  const subject = aboutOf('LaunchCleaned', plan, cleanedAtEpochMs);
  const cleanUpMs = since(removalBeganAtEpochMs(record), cleanedAtEpochMs);
  return [{ type: 'LaunchCleaned', detail: { ...subject, outcome: ending.outcome, cleanUpMs } }];
}

function leftBehind({ plan, ending, left }: Launched): LifecycleEvent[] {
  if (left === undefined || ending === undefined) return [];
  const { clusters, atEpochMs } = left;
  const subject = aboutOf('LaunchLeft', plan, atEpochMs);
  return [{ type: 'LaunchLeft', detail: { ...subject, outcome: ending.outcome, clusters } }];
}

function aboutOf(type: LifecycleEventType, plan: LaunchPlan, atEpochMs: number) {
  const { launchId, generation, agentName, profile, cluster, namespace, sourceUrl } = plan;
  return {
    id: `${launchId}/${generation}/${type}`,
    launchId,
    generation,
    agentName,
    profile,
    cluster,
    namespace,
    ...(sourceUrl === undefined ? {} : { sourceUrl }),
    at: isoTime(atEpochMs),
  };
}

/** Two functions' clocks stamp the moments, and one may be behind. */
function since(fromEpochMs: number, toEpochMs: number): number {
  return Math.max(0, toEpochMs - fromEpochMs);
}
