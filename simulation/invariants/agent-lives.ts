import { longestAgentLifetimeSeconds } from '../../core/retention.ts';
import { type Evidence, type Invariant, type LaunchLife, skewMs } from './evidence.ts';

/** A profile's `maxAgentLifetimeSeconds` and `removeExitedAfterSeconds`, in both directions. */
export const agentLives: Invariant = {
  name: '5: an agent that has lived too long, or has exited, is ended by the next sweep, and no other agent is',
  *check(evidence) {
    for (const life of evidence.launches.values()) {
      yield* checkLifetime(evidence, life);
      yield* checkExit(evidence, life);
    }
  },
};

function* checkLifetime({ sweptAtEpochMs }: Evidence, { launchId, record, ending }: LaunchLife): Iterable<string> {
  const { connectedAtEpochMs, plan, status } = record ?? {};
  const endsAtEpochMs =
    (connectedAtEpochMs ?? Infinity) + (plan?.maxAgentLifetimeSeconds ?? longestAgentLifetimeSeconds) * 1000;
  if (status === 'connected' && sweptAtEpochMs >= endsAtEpochMs + skewMs) yield `${launchId} has lived too long`;
  if (ending?.code === 'AgentLifetimeExceeded' && ending.recordedAtEpochMs < endsAtEpochMs - skewMs) {
    yield `${launchId} was ended as if its agent had lived too long`;
  }
}

function* checkExit(evidence: Evidence, { launchId, record, ending }: LaunchLife): Iterable<string> {
  const { plan, status } = record ?? {};
  if (plan === undefined) return;
  const { agentName, removeExitedAfterSeconds = Infinity } = plan;
  const pods = podsOf(evidence, agentName);
  const isOnlyGone = removeExitedAfterSeconds === Infinity;
  const exits = pods.map(({ overAtEpochMs, goneAtEpochMs }) =>
    isOnlyGone ? goneAtEpochMs : Math.min(overAtEpochMs, goneAtEpochMs),
  );
  // The first of the last two sweeps sees that the agent has exited; the second one sees that this was long ago.
  if (status === 'connected' && exits.every((atEpochMs) => atEpochMs < evidence.sweptAtEpochMs)) {
    yield `${launchId} was not removed, and its agent has exited`;
  }
  const removedAtEpochMs = ending?.by === 'the agent exited' ? ending.recordedAtEpochMs : Infinity;
  // An agent that has exited may have finished; one whose Pod is gone cannot.
  const isGone = pods
    .filter(({ madeAtEpochMs }) => madeAtEpochMs <= removedAtEpochMs)
    .every(({ goneAtEpochMs }) => goneAtEpochMs <= removedAtEpochMs);
  if (!isGone && removedAtEpochMs < Math.min(...exits) + removeExitedAfterSeconds * 1000 - skewMs) {
    yield `${launchId} was removed before its agent had exited for long`;
  }
}

/** When a Pod was made, had ended, and was gone, in milliseconds since 1970-01-01T00:00:00Z. */
interface PodLife {
  madeAtEpochMs: number;
  overAtEpochMs: number;
  goneAtEpochMs: number;
}

/** Each of davit's Pods of an agent's name: a late create may make a second one. */
function podsOf(evidence: Evidence, agentName: string): PodLife[] {
  const over = new Map([...evidence.of('podOver')].map(({ uid, atEpochMs }) => [uid, atEpochMs]));
  const pods = [...evidence.objects.values()].filter(
    ({ created }) => created.name === agentName && created.by === 'davit',
  );
  return pods.flatMap(({ created: { object, uid, atEpochMs: madeAtEpochMs }, goneAtEpochMs = Infinity }) =>
    object === 'Pod' ? [{ madeAtEpochMs, overAtEpochMs: over.get(uid) ?? Infinity, goneAtEpochMs }] : [],
  );
}
