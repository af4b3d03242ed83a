import type { FaultKind } from '../world/fault-kinds.ts';
import { type Evidence, type Invariant, isOver, isUntroubled, type LaunchLife } from './evidence.ts';

/** DESIGN.md's fifth. */
export const nothingLeft: Invariant = {
  name: '5: after a launch is over, its Service and Pod are gone within one sweep',
  *check(evidence) {
    const { launches, run, sweptAgainAtEpochMs } = evidence;
    const { world } = run;
    for (const { created, goneAtEpochMs = Infinity } of evidence.objects.values()) {
      if (isOverBeforeSweep(evidence, launches.get(created.launchId ?? '')) && goneAtEpochMs > sweptAgainAtEpochMs) {
        yield `${created.uid} was not gone after the sweep`;
      }
    }
    for (const { launchId, from, atEpochMs } of evidence.of('recorded')) {
      if (
        from !== 'cleaning' ||
        !isOverBeforeSweep(evidence, launches.get(launchId)) ||
        atEpochMs < sweptAgainAtEpochMs
      )
        continue;
      yield `${launchId} was not cleaned up after the sweep`;
    }
    for (const object of world.namespaces.flatMap(({ services, pods }) => [...services.all(), ...pods.all()])) {
      const { name, labels } = object.metadata;
      const life = launches.get(labels?.['davit.dev/launch-id'] ?? '');
      if (life !== undefined && isOver(life)) yield `${name} (${object.metadata.uid}) is left of a launch that is over`;
    }
    for (const { launchId, record } of launches.values()) {
      if (record?.status === 'cleaning') yield `${launchId} is still being cleaned up`;
    }
  },
};

function isOverBeforeSweep({ sweptAtEpochMs }: Evidence, life: LaunchLife | undefined): boolean {
  return (life?.ending?.recordedAtEpochMs ?? Infinity) < sweptAtEpochMs;
}

/** A launch is recorded as over only when everything that there was of it is gone. */
export const cleanedWhenGone: Invariant = {
  name: '5: what existed when a launch was ended is gone when it is recorded as cleaned',
  *check(evidence) {
    for (const event of evidence.of('recorded')) {
      if (event.from !== 'cleaning') continue;
      const endedAtEpochMs = evidence.launches.get(event.launchId)?.ending?.recordedAtEpochMs ?? 0;
      for (const { created, goneAtEpochMs = Infinity } of evidence.objectsOf(event.launchId)) {
        if (created.by === 'davit' && created.atEpochMs < endedAtEpochMs && goneAtEpochMs > event.atEpochMs) {
          yield `${event.launchId} was recorded as ${event.to} while ${created.uid} existed`;
        }
      }
    }
  },
};

/** Endings that interrupt no function: after those nothing is left for a sweep to find. */
const gentle: ReadonlySet<FaultKind> = new Set([
  'jobCancelled',
  'slowStart',
  'deletedByPeople',
  'deletedTwice',
  'stoppedByPeople',
  'webhookReordered',
  'agentNever',
  'hostMissing',
  'portMissing',
  'imagePullFails',
  'containerCrashes',
]);

/** ADR 1: a sweep is needed only where a process died between a create and its look. */
export const noSweepNeeded: Invariant = {
  name: '5: where no function was interrupted, nothing is left for a sweep',
  *check(evidence) {
    for (const life of evidence.launches.values()) {
      if (!isOverBeforeSweep(evidence, life) || wasInterrupted(life)) continue;
      for (const { created, goneAtEpochMs = Infinity } of leftAtSweep(evidence, life)) {
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

function leftAtSweep(evidence: Evidence, { launchId }: LaunchLife) {
  return evidence.objectsOf(launchId).filter(({ goneAtEpochMs = Infinity }) => goneAtEpochMs > evidence.sweptAtEpochMs);
}

/** DESIGN.md's seventh. */
export const readFirst: Invariant = {
  name: '7: nothing is deleted that was not read, with its uid and label, first',
  *check(evidence) {
    for (const { by, wasRead, uid, launchId } of evidence.of('deleted')) {
      if (by !== 'davit') continue;
      if (!wasRead) yield `${uid} was deleted unread`;
      if (launchId === undefined) yield `${uid} was deleted, and is not davit’s`;
    }
  },
};
