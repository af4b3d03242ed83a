import type { CompletedToken } from '../domain/completed-token.ts';
import type { LaunchRecord } from '../domain/launch-record.ts';
import type { LaunchPlan } from '../domain/launch-state.ts';
import type { LifecycleEvent, LifecycleEventType } from '../domain/lifecycle-events.ts';
import { generationOf } from '../domain/names.ts';

/** The record of a launch, as opposed to a tombstone: the job of a tombstone was over before it was queued here. */
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
    ...(before?.ending === undefined ? ended(after) : []),
    ...(before?.cleanedAtEpochMs === undefined ? cleaned(after) : []),
  ];
}

/** The event that an agent's address is known: its token was published. */
export function agentReady(token: CompletedToken, plan: LaunchPlan): LifecycleEvent {
  const { agentName, host, port, tls, publishedAt, expiresAt } = token;
  const generation = generationOf(agentName);
  const subject = aboutOf('AgentReady', { ...plan, agentName, generation }, Date.parse(publishedAt));
  return { type: 'AgentReady', detail: { ...subject, host, port, tls, expiresAt } };
}

function isLaunched(record: LaunchRecord): record is Launched {
  return record.plan !== undefined;
}

function requested({ plan, requestedAtEpochMs }: Launched): LifecycleEvent {
  return { type: 'LaunchRequested', detail: aboutOf('LaunchRequested', plan, requestedAtEpochMs) };
}

function relaunched(before: LaunchRecord | undefined, { plan, generations = [] }: Launched): LifecycleEvent[] {
  const knownBefore = before?.generations?.length ?? 0;
  return generations.slice(knownBefore).map(({ agentName: endedAgentName, code, message, endedAtEpochMs }, index) => {
    const generation = knownBefore + index + 2;
    const agentName = generations[generation - 1]?.agentName ?? plan.agentName;
    const subject = aboutOf('LaunchRelaunched', { ...plan, agentName, generation }, endedAtEpochMs);
    return { type: 'LaunchRelaunched', detail: { ...subject, endedAgentName, code, message } };
  });
}

function connected({ plan, connectedAtEpochMs, requestedAtEpochMs }: Launched): LifecycleEvent[] {
  if (connectedAtEpochMs === undefined) return [];
  const subject = aboutOf('AgentConnected', plan, connectedAtEpochMs);
  const timeToAgentMs = since(requestedAtEpochMs, connectedAtEpochMs);
  return [{ type: 'AgentConnected', detail: { ...subject, timeToAgentMs } }];
}

function ended({ plan, ending, connectedAtEpochMs }: Launched): LifecycleEvent[] {
  if (ending === undefined) return [];
  const { outcome, code, message, by, atEpochMs } = ending;
  const type = outcome === 'failed' ? 'LaunchFailed' : 'LaunchTerminated';
  const why = { code, message, by, connected: connectedAtEpochMs !== undefined };
  return [{ type, detail: { ...aboutOf(type, plan, atEpochMs), ...why } }];
}

function cleaned({ plan, ending, cleanedAtEpochMs }: Launched): LifecycleEvent[] {
  if (cleanedAtEpochMs === undefined || ending === undefined) return [];
  const subject = aboutOf('LaunchCleaned', plan, cleanedAtEpochMs);
  const cleanUpMs = since(ending.atEpochMs, cleanedAtEpochMs);
  return [{ type: 'LaunchCleaned', detail: { ...subject, outcome: ending.outcome, cleanUpMs } }];
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
    at: new Date(atEpochMs).toISOString(),
  };
}

/** Two functions' clocks stamp the moments, and one may be behind. */
function since(fromEpochMs: number, toEpochMs: number): number {
  return Math.max(0, toEpochMs - fromEpochMs);
}
