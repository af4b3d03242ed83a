import type { RelaunchCode } from './error-codes.ts';
import type { EventView, PodView } from './kubernetes-objects.ts';
import type { PodVerdict } from './pod-verdict.ts';
import { containersOf, nodeOf, wordsOf } from './pod-words.ts';

/** Events by which a Pod that is gone without another word is known to have been taken by infrastructure. */
const takings: ReadonlyMap<string, RelaunchCode> = new Map([
  ['Preempted', 'PodPreempted'],
  ['Evicted', 'PodEvicted'],
  ['TaintManagerEviction', 'NodeLost'],
  ['NodeShutdown', 'NodeLost'],
]);

/** Of a Pod that none of its containers has been started in, because its sandbox or a volume is not there. */
const obstacles: ReadonlySet<string> = new Set(['FailedMount', 'FailedAttachVolume', 'NetworkNotReady']);

/** Says whether something that only Events tell may keep a Pod: it is bound, and no container of it was started. */
export function isHeldUp(pod: PodView): boolean {
  const started = containersOf(pod).some(
    ({ status: { state, lastState } }) => state?.running ?? state?.terminated ?? lastState?.terminated,
  );
  return Boolean(pod.spec.nodeName) && !started;
}

/**
 * Judges a Pod that is held up before its containers by its Events: a Pod's status says `ContainerCreating` and no
 * more while its sandbox or a volume cannot be made.
 *
 * @param events of the Pod, in any order
 * @returns the verdict of the latest one that says what is wrong; undefined when none does
 */
export function judgeHoldUp(pod: PodView, events: readonly EventView[]): PodVerdict | undefined {
  const about = nodeOf(pod);
  for (const event of newestFirst(events)) {
    const says = wordsOf(event);
    if (event.reason === 'FailedCreatePodSandBox') {
      return { kind: 'grace', grace: 'containerSeconds', code: 'ContainerStartFailed', says, about };
    }
    if (event.reason !== undefined && obstacles.has(event.reason)) {
      return { kind: 'wait', signal: event.reason, says, about };
    }
  }
  return undefined;
}

/** Says whether Events may tell more of a Pod's end: a container that its own postStart hook failed ends like any other. */
export function mayHaveFailedByHook({ spec: { containers } }: PodView, verdict: PodVerdict): boolean {
  const isEnd =
    verdict.kind === 'terminal' && (verdict.code === 'ContainerTerminated' || verdict.code === 'PodSucceeded');
  return isEnd && containers.some(({ lifecycle }) => lifecycle?.postStart !== undefined);
}

/**
 * Judges a Pod that has ended by its Events: a kubelet ends a container whose postStart hook has failed, and says why
 * nowhere else.
 *
 * @param verdict what the Pod itself says
 * @returns undefined when no hook has failed
 */
export function judgeHookFailure(verdict: PodVerdict, events: readonly EventView[]): PodVerdict | undefined {
  const failure = newestFirst(events).find(({ reason }) => reason === 'FailedPostStartHook');
  if (failure === undefined) return undefined;
  const says = `${wordsOf(failure)}; ${verdict.says}`;
  return { kind: 'terminal', code: 'ContainerStartFailed', says, about: verdict.about };
}

/**
 * Judges a Pod that is gone by the Events that it left: its DisruptionTarget condition went with it.
 *
 * @returns undefined when none says that infrastructure took it
 */
export function judgeDisappearance(events: readonly EventView[]): PodVerdict | undefined {
  for (const event of newestFirst(events)) {
    const code = takings.get(event.reason ?? '');
    if (code !== undefined) return { kind: 'relaunch', code, says: `the Pod is gone: ${wordsOf(event)}`, about: {} };
  }
  return undefined;
}

/** Puts the Events in order, by when each was last seen. */
export function newestFirst(events: readonly EventView[]): EventView[] {
  return events.toSorted((one, other) => lastSeenEpochMs(other) - lastSeenEpochMs(one));
}

/** Says when an Event was last seen, in milliseconds since 1970-01-01T00:00:00Z; 0 when it does not say. */
export function lastSeenEpochMs({ series, lastTimestamp, eventTime, firstTimestamp }: EventView): number {
  return Date.parse(series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? firstTimestamp ?? '') || 0;
}
