import type { FaultKind } from '../world/fault-kinds.ts';
import { graceSeconds } from '../world/world.ts';
import { type Evidence, type Invariant, isOver, isUntroubled, type LaunchLife, type ObjectLife } from './evidence.ts';
import { heldUntil, isHeldObject } from './held-pods.ts';

/** Invariant 5 of docs/invariants.md. */
export const nothingLeft: Invariant = {
  name: '5: after a launch is over, its Service and Pod are gone within one sweep',
  *check(evidence) {
    const { launches, run, sweptAgainAtEpochMs } = evidence;
    const { world } = run;
    for (const life of launches.values()) {
      if (!isOverBeforeSweep(evidence, life)) continue;
      for (const { created } of leftAt(evidence, life, sweptAgainAtEpochMs)) {
        yield `${created.uid} was not gone after the sweep`;
      }
      const isLate = isCleanedAfter(life, evidence.sweptFinallyAtEpochMs);
      if (isLate) yield `${life.launchId} was not cleaned up after the sweep`;
    }
    for (const object of world.namespaces.flatMap(({ services, pods }) => [...services.all(), ...pods.all()])) {
      const { name, labels } = object.metadata;
      const launchId = labels?.['davit.dev/launch-id'] ?? '';
      const life = evidence.lifeOf(launchId);
      if (life !== undefined && (isOver(life) || (evidence.forgotten.has(launchId) && !life.isSecond)))
        yield `${name} (${object.metadata.uid}) is left of a launch that is over`;
    }
    for (const { launchId, record } of launches.values()) {
      if (record?.status === 'cleaning') yield `${launchId} is still being cleaned up`;
    }
  },
};

function isOverBeforeSweep({ sweptAtEpochMs }: Evidence, { ending }: LaunchLife): boolean {
  return (ending?.recordedAtEpochMs ?? Infinity) < sweptAtEpochMs;
}

function isCleanedAfter({ recorded }: LaunchLife, epochMs: number): boolean {
  return recorded.some(({ from, atEpochMs }) => from === 'cleaning' && atEpochMs >= epochMs);
}

/** The objects of a launch that were created before the first of the last sweeps, and existed at a moment. */
function leftAt(evidence: Evidence, { launchId }: LaunchLife, epochMs: number): ObjectLife[] {
  return evidence
    .objectsOf(launchId)
    .filter(({ created }) => created.atEpochMs < evidence.sweptAtEpochMs)
    .filter(({ goneAtEpochMs = Infinity }) => goneAtEpochMs > epochMs);
}

/** davit records a launch as over only when all of its objects are gone. */
export const cleanedWhenGone: Invariant = {
  name: '5: what existed when a launch was ended is gone when it is recorded as cleaned',
  *check(evidence) {
    for (const { launchId, recorded, ending } of evidence.launches.values()) {
      const endedAtEpochMs = ending?.recordedAtEpochMs ?? 0;
      for (const event of recorded) {
        if (event.from !== 'cleaning') continue;
        for (const { created, goneAtEpochMs = Infinity } of evidence.objectsOf(launchId)) {
          if (created.by === 'davit' && created.atEpochMs < endedAtEpochMs && goneAtEpochMs > event.atEpochMs) {
            yield `${launchId} was recorded as ${event.to} while ${created.uid} existed`;
          }
        }
      }
    }
  },
};

/** Endings that interrupt no function: they leave nothing for a sweep to find. */
const gentle: ReadonlySet<FaultKind> = new Set([
  'jobCancelled',
  'slowStart',
  'deletedByPeople',
  'deletedJustThen',
  'deletedTwice',
  'stoppedByPeople',
  'webhookReordered',
  'agentNever',
  'hostMissing',
  'portMissing',
  'imagePullFails',
  'containerCrashes',
]);

/** ADR 1: a sweep is needed only if a process died between a create and its look. */
export const noSweepNeeded: Invariant = {
  name: '5: where no function was interrupted, nothing is left for a sweep',
  *check(evidence) {
    for (const life of evidence.launches.values()) {
      if (!isOverBeforeSweep(evidence, life) || wasInterrupted(life) || wasEnderInterrupted(life)) continue;
      const mayBeHeld = heldUntil(evidence, life) !== undefined;
      for (const object of leftAt(evidence, life, evidence.sweptAtEpochMs)) {
        const { created, goneAtEpochMs = Infinity } = object;
        if (mayBeHeld && isHeldObject(life, object)) continue;
        yield `${created.uid} of ${life.launchId} was left for the sweep (gone ${goneAtEpochMs})`;
      }
    }
  },
};

function wasInterrupted(life: LaunchLife): boolean {
  if (isUntroubled(life)) return false;
  const faults = new Set([...life.faults].filter((fault) => !gentle.has(fault)));
  return !isUntroubled({ ...life, faults });
}

/**
 * Says whether the function that wrote the ending was cut off before it requested the clean-up. It may be a sweep, or
 * the webhook of the job that the agent ran: its faults are not noted as this launch's. A clean-up that writes the
 * ending requests no other, and is not excused.
 */
function wasEnderInterrupted({ events }: LaunchLife): boolean {
  return events.some((event) => event.kind === 'endingCutOff' && event.functionName !== 'clean-up');
}

/** Invariant 7 of docs/invariants.md. */
export const readFirst: Invariant = {
  name: '7: nothing is deleted that was not read, with its uid and label, first',
  *check(evidence) {
    for (const { by, wasRead, uid, launchId } of evidence.of('deleted')) {
      if (by !== 'davit') continue;
      if (!wasRead) yield `${uid} was deleted unread`;
      if (launchId === undefined) yield `${uid} was deleted, and is not davit's`;
    }
  },
};

/** A clock may be 2 s off, and a launch may have been asked for by a function whose clock is ahead. */
const graceSkewMs = 5000;

/** A process that has written a launch's record is about to start its execution. */
export const sweepsWait: Invariant = {
  name: '5: no sweep starts a launch that another process may be about to start',
  *check(evidence) {
    for (const event of evidence.of('executionStarted')) {
      if (event.by !== 'sweep') continue;
      const waitedMs = event.atEpochMs - (evidence.planOf(event.launchId)?.requestedAtEpochMs ?? -Infinity);
      // Before: an earlier launch of the same job, whose record has expired.
      if (waitedMs >= -graceSkewMs && waitedMs < graceSeconds * 1000 - graceSkewMs) {
        yield `${event.launchId} was started by a sweep after ${Math.round(waitedMs)} ms`;
      }
    }
  },
};
