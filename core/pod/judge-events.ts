import type { RelaunchCode, TerminalCode } from '../errors/error-codes.ts';
import { wordsOf } from './describe-pod.ts';
import { lastSeenEpochMs, newestFirst, secondOf } from './event-times.ts';
import type { EventView } from './kubernetes-objects.ts';
import type { PodVerdict } from './pod-verdict.ts';

/** Events which show that infrastructure took a Pod that is gone, or that ended without another reason. */
const takings: ReadonlyMap<string, RelaunchCode> = new Map([
  ['Preempted', 'PodPreempted'],
  ['Evicted', 'PodEvicted'],
  ['TaintManagerEviction', 'NodeLost'],
  ['NodeShutdown', 'NodeLost'],
]);

/** The codes of a Pod whose containers have ended, for whatever reason. */
const endings: ReadonlySet<string> = new Set([
  'ContainerTerminated',
  'InitContainerFailed',
  'PodFailed',
  'PodSucceeded',
] satisfies TerminalCode[]);

/** Says whether a verdict is about containers that have ended. Possibly only the Events show the cause. */
export function isEnd(verdict: PodVerdict): boolean {
  return verdict.kind === 'terminal' && endings.has(verdict.code);
}

/**
 * Judges a Pod whose containers have ended by its Events. A kubelet ends a container whose postStart hook has failed, and
 * the containers of a Pod that it evicts. If they then exit with code 0, the Pod has succeeded, and only the Events show
 * the cause. A hook that failed before its container's restart is not the cause.
 *
 * @param verdict what the Pod itself says
 * @returns undefined when no Event gives another reason for the end
 */
export function judgeEnd({ detail: ended, subject }: PodVerdict, events: readonly EventView[]): PodVerdict | undefined {
  for (const event of withoutCancellations(events)) {
    const code = takings.get(event.reason ?? '');
    const detail = `${wordsOf(event)}; ${ended}`;
    if (code !== undefined) return { kind: 'relaunch', code, detail, subject };
    if (event.reason === 'FailedPostStartHook' && !isStartedAfter(event, events)) {
      return { kind: 'terminal', code: 'ContainerStartFailed', detail, subject };
    }
  }
  return undefined;
}

function isStartedAfter(hook: EventView, events: readonly EventView[]): boolean {
  return events.some(
    (event) =>
      event.reason === 'Started' &&
      event.involvedObject.fieldPath === hook.involvedObject.fieldPath &&
      secondOf(lastSeenEpochMs(event)) > secondOf(lastSeenEpochMs(hook)),
  );
}

/**
 * Judges a Pod that is gone by the Events that it left, since its DisruptionTarget condition went with it. The removal of
 * a deleted Node's Pods leaves no Event. But if the Pod's last Event is that its Node is not ready, the Node was lost:
 * the kubelet of an existing Node reports each container that it kills.
 *
 * @returns undefined when no Event shows that infrastructure took it
 */
export function judgeDisappearance(events: readonly EventView[]): PodVerdict | undefined {
  const left = withoutCancellations(events);
  for (const event of left) {
    const code = takings.get(event.reason ?? '');
    if (code !== undefined) return goneBy(event, code);
  }
  const [last] = left;
  return last?.reason === 'NodeNotReady' ? goneBy(last, 'NodeLost') : undefined;
}

/** Judges a Pod that is gone by the Events until a moment. @returns as `judgeDisappearance` */
export function judgeDisappearanceBy(events: readonly EventView[], epochMs: number): PodVerdict | undefined {
  return judgeDisappearance(events.filter((event) => lastSeenEpochMs(event) <= epochMs));
}

function goneBy(event: EventView, code: RelaunchCode): PodVerdict {
  return { kind: 'relaunch', code, detail: `the Pod is gone: ${wordsOf(event)}`, subject: {} };
}

/** Newest first. An eviction and its cancellation, when a taint goes away in time, have the same reason. */
function withoutCancellations(events: readonly EventView[]): EventView[] {
  return newestFirst(events).filter(({ message = '' }) => !message.startsWith('Cancelling deletion'));
}
