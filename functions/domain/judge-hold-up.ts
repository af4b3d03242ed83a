import { containersOf, nodeOf, wordsOf } from './describe-pod.ts';
import { epochMsOf, lastSeenEpochMs, newestFirst, secondOf } from './event-times.ts';
import type { EventView, PodView } from './kubernetes-objects.ts';
import type { PodVerdict } from './pod-verdict.ts';

const noSandbox = 'FailedCreatePodSandBox';

/** The code of a Pod whose sandbox cannot be made; a container that cannot be started has it, too, with its name. */
export const heldUpCode = 'ContainerStartFailed';

/** Trouble that keeps a kubelet from the containers of a Pod, because its sandbox, network or a volume is missing. */
const troubles: ReadonlySet<string> = new Set([noSandbox, 'FailedMount', 'FailedAttachVolume', 'NetworkNotReady']);

/**
 * What a kubelet reports of a container. It comes to the containers once the volumes are mounted and the sandbox runs, so
 * that each of these ends the trouble before it, even one that is trouble itself (the status tells of that).
 *
 * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/events/event.go
 */
const progress: ReadonlySet<string> = new Set(['Pulling', 'Pulled', 'Created', 'Started', 'Failed', 'BackOff']);

/** Says whether trouble that only Events tell of may hold up a Pod: it has a node, and no container has started. */
export function isHeldUp(pod: PodView): boolean {
  const started = containersOf(pod).some(
    ({ status: { state, lastState } }) => state?.running ?? state?.terminated ?? lastState?.terminated,
  );
  return Boolean(pod.spec.nodeName) && !started;
}

/**
 * Judges a Pod that is held up by its Events: a Pod's status says no more than `ContainerCreating` while its sandbox or a
 * volume cannot be made. Trouble counts only while nothing newer shows progress. In a tie, progress wins: if the trouble
 * lasts, the kubelet reports it again within seconds.
 *
 * @param events the Pod's Events, in any order
 * @returns the verdict on the latest trouble; undefined when there is none, or it is over
 */
export function judgeHoldUp(pod: PodView, events: readonly EventView[]): PodVerdict | undefined {
  const trouble = newestFirst(events).find(({ reason = '' }) => troubles.has(reason));
  if (trouble?.reason === undefined || secondOf(progressEpochMs(pod, events)) >= secondOf(lastSeenEpochMs(trouble))) {
    return undefined;
  }
  const { reason } = trouble;
  const detail = wordsOf(trouble);
  const subject = nodeOf(pod);
  return reason === noSandbox
    ? { kind: 'grace', grace: 'containerSeconds', code: heldUpCode, detail, subject }
    : { kind: 'wait', signal: reason, detail, subject };
}

/** Says when the Pod last made progress, by its Events or its status; -1 when neither shows any. */
function progressEpochMs(pod: PodView, events: readonly EventView[]): number {
  const sandbox = pod.status?.conditions?.find(({ type }) => type === 'PodReadyToStartContainers');
  return Math.max(
    -1,
    ...events.filter(({ reason = '' }) => progress.has(reason)).map(lastSeenEpochMs),
    ...(sandbox?.status === 'True' ? [epochMsOf(sandbox.lastTransitionTime)] : []),
  );
}
