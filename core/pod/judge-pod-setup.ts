import { containersOf, nodeOf, wordsOf } from './describe-pod.ts';
import { epochMsOf, lastSeenEpochMs, newestFirst, secondOf } from './event-times.ts';
import type { EventView, PodView } from './kubernetes-objects.ts';
import type { PodVerdict } from './pod-verdict.ts';

const noSandbox = 'FailedCreatePodSandBox';

/** The code of a Pod without a sandbox. A container that cannot start has the same code, with its name. */
export const setupTroubleCode = 'ContainerStartFailed';

/** Trouble before a kubelet can start a Pod's containers: its sandbox, its network or a volume is missing. */
const troubles: ReadonlySet<string> = new Set([noSandbox, 'FailedMount', 'FailedAttachVolume', 'NetworkNotReady']);

/**
 * The Events of containers. A kubelet starts on the containers once the volumes are mounted and the sandbox runs. So each
 * of these Events ends the earlier trouble, even an Event that reports new trouble (the status shows that one).
 *
 * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/events/event.go
 */
const progress: ReadonlySet<string> = new Set(['Pulling', 'Pulled', 'Created', 'Started', 'Failed', 'BackOff']);

/** Says whether trouble that only Events show may hold up a Pod: it has a node, and no container has started. */
export function mayHaveSetupTrouble(pod: PodView): boolean {
  const started = containersOf(pod).some(
    ({ status: { state, lastState } }) => state?.running ?? state?.terminated ?? lastState?.terminated,
  );
  return Boolean(pod.spec.nodeName) && !started;
}

/**
 * Judges a Pod that cannot start yet, by its Events. While its sandbox or a volume is missing, a Pod's status says only
 * `ContainerCreating`. Trouble counts only while nothing newer shows progress. In a tie, progress wins: if the trouble
 * lasts, the kubelet reports it again within seconds.
 *
 * @param events the Pod's Events, in any order
 * @returns the verdict on the latest trouble; undefined when there is none, or it is over
 */
export function judgePodSetup(pod: PodView, events: readonly EventView[]): PodVerdict | undefined {
  const trouble = newestFirst(events).find(({ reason = '' }) => troubles.has(reason));
  if (trouble?.reason === undefined || secondOf(progressEpochMs(pod, events)) >= secondOf(lastSeenEpochMs(trouble))) {
    return undefined;
  }
  const { reason } = trouble;
  const detail = wordsOf(trouble);
  const subject = nodeOf(pod);
  return reason === noSandbox
    ? { kind: 'grace', grace: 'containerSeconds', code: setupTroubleCode, detail, subject }
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
