import type { Ending } from '../../core/launch/launch-record.ts';
import type { Evidence, Invariant, LaunchLife } from './evidence.ts';
import { isEndedByQueue } from './queue-agents.ts';

/** Invariant 9 of docs/invariants.md, as far as it does not need a CI server's data. */
export const connectedAgents: Invariant = {
  name: '9: only its job, a person, its lifetime, its own exit or its node ends a connected agent',
  *check(evidence) {
    for (const life of evidence.launches.values()) {
      const { launchId, connectedAtEpochMs, ending } = life;
      if (connectedAtEpochMs === undefined || ending === undefined || mayEnd(evidence, life, ending)) continue;
      yield `${launchId} was connected and ended by ${ending.by}: ${ending.message}`;
    }
    yield* checkDeletions(evidence);
  },
};

function mayEnd(evidence: Evidence, life: LaunchLife, ending: Ending): boolean {
  if (ending.code === 'AgentLifetimeExceeded') return true; // the invariant about agents' lives checks the time
  if (ending.by === 'the agent exited') return hasExited(evidence, life);
  if (ending.code !== 'Terminated') return false;
  if (isEndedByQueue(evidence, life, ending)) return true;
  if (ending.by === 'DELETE /launches') return wasSent(evidence, life, 'delete');
  return ending.by.startsWith('github workflow_job completed') && wasSent(evidence, life, 'completed');
}

/** Says whether someone sent a request of this kind before the launch ended. */
export function wasSent(evidence: Evidence, { launchId, ending }: LaunchLife, wanted: 'completed' | 'delete'): boolean {
  const untilEpochMs = ending?.recordedAtEpochMs ?? Infinity;
  return evidence
    .eventsOf(launchId)
    .some((event) => event.kind === 'sent' && event.door === wanted && event.atEpochMs <= untilEpochMs);
}

/**
 * Says whether each Pod of a launch's last generation had ended or was gone when the launch ended. If the launch failed
 * for that reason, one of them must have failed.
 */
export function hasExited(evidence: Evidence, { launchId, ending }: LaunchLife): boolean {
  const untilEpochMs = ending?.recordedAtEpochMs ?? Infinity;
  const pods = evidence
    .objectsOf(launchId)
    .filter(({ created }) => created.object === 'Pod' && created.by === 'davit')
    // A create whose answer was lost may take effect after the end.
    .filter(({ created }) => created.name === ending?.agentName && created.atEpochMs <= untilEpochMs)
    .map(({ goneAtEpochMs = Infinity, over }) => ({
      isGone: goneAtEpochMs <= untilEpochMs,
      phase: (over?.atEpochMs ?? Infinity) <= untilEpochMs ? over?.phase : undefined,
    }));
  const isFailure = ending?.outcome === 'failed';
  return (
    pods.every(({ isGone, phase }) => isGone || phase !== undefined) &&
    isFailure === (ending?.code === 'AgentExited') &&
    (!isFailure || pods.some(({ phase }) => phase === 'Failed'))
  );
}

/** Nothing of the present generation is deleted while its launch is connected. */
function* checkDeletions(evidence: Evidence): Iterable<string> {
  for (const { by, uid, launchId, atEpochMs } of evidence.of('deleted')) {
    const life = evidence.launches.get(launchId ?? '');
    if (by !== 'davit' || life?.connectedAtEpochMs === undefined || life.connectedAtEpochMs > atEpochMs) continue;
    const isEnded = (life.ending?.recordedAtEpochMs ?? Infinity) <= atEpochMs;
    if (isEnded || evidence.objects.get(uid)?.created.name !== life.connectedAgent) continue;
    yield `davit deleted ${uid} of ${life.launchId}, whose agent was connected`;
  }
}
