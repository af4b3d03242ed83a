import type { RelaunchCode, TerminalCode } from './error-codes.ts';
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

/** What is said of a Pod whose containers have ended, whoever ended them. */
const endings: ReadonlySet<string> = new Set([
  'ContainerTerminated',
  'InitContainerFailed',
  'PodFailed',
  'PodSucceeded',
] satisfies TerminalCode[]);

/** Says whether a verdict is on containers that have ended: only Events may tell who ended them. */
export function isEnd(verdict: PodVerdict): boolean {
  return verdict.kind === 'terminal' && endings.has(verdict.code);
}

/**
 * Judges a Pod whose containers have ended by its Events. A kubelet ends the container whose postStart hook has failed,
 * and those of a Pod that it evicts; if they end well then, the Pod has succeeded, and its status says no more.
 *
 * @param verdict what the Pod itself says
 * @returns undefined when no Event says that somebody else has ended them
 */
export function judgeEnd({ says: ended, about }: PodVerdict, events: readonly EventView[]): PodVerdict | undefined {
  for (const event of heardOf(events)) {
    const code = takings.get(event.reason ?? '');
    const says = `${wordsOf(event)}; ${ended}`;
    if (code !== undefined) return { kind: 'relaunch', code, says, about };
    if (event.reason === 'FailedPostStartHook') return { kind: 'terminal', code: 'ContainerStartFailed', says, about };
  }
  return undefined;
}

/**
 * Judges a Pod that is gone by the Events that it left: its DisruptionTarget condition went with it. Who takes a Pod from
 * a Node that was deleted leaves none, but the last that was heard of it may be that its machine was not there any more; a
 * kubelet that is there tells of containers that it ends for somebody.
 *
 * @returns undefined when none says that infrastructure took it
 */
export function judgeDisappearance(events: readonly EventView[]): PodVerdict | undefined {
  const heard = heardOf(events);
  for (const event of heard) {
    const code = takings.get(event.reason ?? '');
    if (code !== undefined) return goneBy(event, code);
  }
  const [last] = heard;
  return last?.reason === 'NodeNotReady' ? goneBy(last, 'NodeLost') : undefined;
}

function goneBy(event: EventView, code: RelaunchCode): PodVerdict {
  return { kind: 'relaunch', code, says: `the Pod is gone: ${wordsOf(event)}`, about: {} };
}

/** Newest first. A taint that goes away in time takes nothing, and is told in the same word as one that does. */
function heardOf(events: readonly EventView[]): EventView[] {
  return newestFirst(events).filter(({ message = '' }) => !message.startsWith('Cancelling deletion'));
}

/** Puts the Events in order, by when each was last seen. */
export function newestFirst(events: readonly EventView[]): EventView[] {
  return events.toSorted((one, other) => lastSeenEpochMs(other) - lastSeenEpochMs(one));
}

/** Says when an Event was last seen, in milliseconds since 1970-01-01T00:00:00Z; 0 when it does not say. */
export function lastSeenEpochMs({ series, lastTimestamp, eventTime, firstTimestamp }: EventView): number {
  return Date.parse(series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? firstTimestamp ?? '') || 0;
}
