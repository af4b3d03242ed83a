import type { Evidence, Invariant, LaunchLife, ObjectLife } from './evidence.ts';
import { skewMs } from './queue-agents.ts';

/**
 * Says until when davit holds the Pod of a launch, unless a person ends it: of one that failed before its agent had
 * connected, in a profile that wants it.
 */
export function heldUntil(evidence: Evidence, { launchId, ending, connectedAtEpochMs }: LaunchLife) {
  const { holdFailedSeconds } = evidence.planOf(launchId) ?? {};
  if (ending?.outcome !== 'failed' || connectedAtEpochMs !== undefined || holdFailedSeconds === undefined) return;
  return ending.atEpochMs + holdFailedSeconds * 1000;
}

/** Says whether an object is the Pod that a launch holds, or the Service that owns it. */
export function isHeldObject({ ending }: LaunchLife, { created }: ObjectLife): boolean {
  return created.name === ending?.agentName;
}

/** No Pod is held but that of a launch that failed. */
export const failedAreHeld: Invariant = {
  name: 'hold: only the Pod of a launch that failed before its agent had connected is held',
  *check(evidence) {
    for (const life of evidence.launches.values()) {
      const isHeld = life.ending !== undefined && life.record?.hold !== undefined;
      if (isHeld && heldUntil(evidence, life) === undefined) yield `${life.launchId} is held: ${life.ending?.message}`;
    }
  },
};

/** A person has the time to look at the Pod that the profile promises. */
export const heldInFull: Invariant = {
  name: 'hold: davit removes no held Pod before its time is over',
  *check(evidence) {
    const lives = new Map([...evidence.launches.values()].map((life) => [life.launchId, life]));
    for (const { by, object, uid, launchId = '', atEpochMs } of evidence.of('deleted')) {
      const [life, pod] = [lives.get(launchId), evidence.objects.get(uid)];
      if (by !== 'davit' || object !== 'Pod' || life === undefined || pod === undefined) continue;
      const untilEpochMs = heldUntil(evidence, life) ?? 0;
      const isHeld = isHeldObject(life, pod) && atEpochMs > (life.ending?.recordedAtEpochMs ?? Infinity);
      const mayGo =
        atEpochMs >= untilEpochMs - skewMs ||
        wasSentBefore(life, atEpochMs) ||
        isTakenBack(life) ||
        isTooLate(life, pod);
      if (!isHeld || mayGo) continue;
      yield `${uid} was removed ${Math.round((untilEpochMs - atEpochMs) / 1000)} s before its time`;
    }
  },
};

/** Whatever the answer was: it may have got lost. */
function wasSentBefore({ events }: LaunchLife, epochMs: number): boolean {
  return events.some((event) => event.kind === 'sent' && event.door === 'delete' && event.atEpochMs <= epochMs);
}

/** A create whose answer was late made the Pod after the launch's end: a clean-up may have found none to hold. */
function isTooLate({ ending }: LaunchLife, { created }: ObjectLife): boolean {
  return ending !== undefined && ending.recordedAtEpochMs <= created.atEpochMs;
}

/** An attempt of CreatePod that meets its launch's end takes back what it made. It may die before the cluster deletes. */
function isTakenBack({ events, ending }: LaunchLife): boolean {
  const overAtEpochMs = ending?.recordedAtEpochMs ?? Infinity;
  return events.some(
    (each) => each.kind === 'stepEnded' && each.step === 'create-pod' && each.atEpochMs >= overAtEpochMs,
  );
}

/** The clean-up that the sweep requests, and the sweeps after it, are judged as those of any other launch. */
export const heldNoLonger: Invariant = {
  name: 'hold: the first complete sweep after its time ends the hold of a Pod',
  *check(evidence) {
    // The sweep reads launches from a list.
    if (evidence.run.plan.has('staleList')) return;
    const sweeps = [...evidence.of('sweptAll')];
    for (const life of evidence.launches.values()) {
      const untilEpochMs = heldUntil(evidence, life);
      if (untilEpochMs === undefined) continue;
      const sweep = sweeps.find(({ beganAtEpochMs }) => beganAtEpochMs > untilEpochMs + 2 * skewMs);
      if (endOfHold(life) > (sweep?.atEpochMs ?? Infinity) + skewMs) yield `${life.launchId} was held for longer`;
    }
  },
};

function endOfHold({ record, recorded }: LaunchLife): number {
  const over = recorded.find(({ from }) => from === 'cleaning')?.atEpochMs ?? Infinity;
  return Math.min(record?.hold?.releasedAtEpochMs ?? Infinity, over);
}
