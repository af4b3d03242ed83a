import type { Ending } from '../../core/launch/launch-record.ts';
import { agentNameOf } from '../../core/launch/names.ts';
import type { EventOf, Evidence, Invariant, LaunchLife } from './evidence.ts';
import { isPinnedJobOver } from './queue-agents.ts';

/** Invariant 15 of docs/invariants.md. */
export const strangers: Invariant = {
  name: "15: no event that a stranger causes ends or binds an agent of somebody else's job",
  *check(evidence) {
    for (const life of evidence.launches.values()) {
      const { launchId, record, ending } = life;
      // A tombstone ends nothing.
      if (ending !== undefined && isByCompleted(ending) && record?.plan !== undefined) {
        const isOwn =
          record.plan.join === undefined
            ? hasOwnCompleted(evidence, life, ending)
            : hasRun(life) || isPinnedJobOver(evidence, life, life.ending?.recordedAtEpochMs ?? 0);
        if (!isOwn) yield `${launchId} was ended by the job of another runner`;
      }
      const boundTo = record?.runs?.jobKey.replaceAll('/', '-');
      if (boundTo !== undefined && !hasBeenGiven(life, boundTo)) {
        yield `${launchId} is bound to ${boundTo}, which no CI system gave to its agent`;
      }
    }
  },
};

/** Says whether a job on a runner that the launch's agent registered was over before the launch ended. */
function hasRun({ events, ending }: LaunchLife): boolean {
  const untilEpochMs = ending?.recordedAtEpochMs ?? 0;
  return events.some((event) => event.kind === 'jobOver' && event.atEpochMs <= untilEpochMs);
}

/** Says whether a CI system gave the job to a runner that the launch's agent registered. */
function hasBeenGiven({ events }: LaunchLife, job: string): boolean {
  return events.some((event) => event.kind === 'handedOut' && event.job === job);
}

/** Untrusted code that has had its job would get the secrets of another one. */
export const usedAgents: Invariant = {
  name: '15: no agent that has had a job is registered again',
  *check(evidence) {
    const used = new Set<string>();
    for (const event of evidence.acts) {
      if (event.kind === 'handedOut' && event.launchId !== undefined) used.add(event.launchId);
      if (event.kind === 'registered' && used.has(event.launchId)) {
        yield `${event.launchId} was registered as runner ${event.runnerId} after its agent had had a job`;
      }
    }
  },
};

function isByCompleted({ by }: Ending): boolean {
  return by.includes('workflow_job completed');
}

/** Says whether its own job was said to be completed before: on its agent, or on no runner and it never connected. */
function hasOwnCompleted(evidence: Evidence, life: LaunchLife, ending: Ending): boolean {
  const untilEpochMs = life.ending?.recordedAtEpochMs ?? ending.atEpochMs;
  if (ranOnOwnAgent(evidence, life.launchId, untilEpochMs)) return true;
  return life.connectedAtEpochMs === undefined && completedOf(evidence, life.launchId, untilEpochMs).some(hasNoRunner);
}

/** Says whether, until a moment, the launch's own job was said to be completed on the launch's own agent. */
export function ranOnOwnAgent(evidence: Evidence, launchId: string, untilEpochMs: number): boolean {
  const agents = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((generation) => agentNameOf(launchId, generation));
  const completed = completedOf(evidence, launchId, untilEpochMs);
  return completed.some(({ ranBy }) => ranBy !== undefined && agents.includes(ranBy));
}

/** What came a day before was about an earlier launch of the same job, whose record has expired. */
const dayMs = 86_400_000;

function completedOf(evidence: Evidence, launchId: string, untilEpochMs: number): EventOf<'sent'>[] {
  return evidence
    .eventsOf(launchId)
    .filter((event): event is EventOf<'sent'> => event.kind === 'sent')
    .filter(
      ({ door, atEpochMs }) => door === 'completed' && atEpochMs <= untilEpochMs && untilEpochMs - atEpochMs < dayMs,
    );
}

function hasNoRunner({ ranBy }: EventOf<'sent'>): boolean {
  return ranBy === undefined;
}
