import type { RelaunchCode, TerminalCode } from './error-codes.ts';
import type { ErrorSubject } from './errors.ts';
import type { ContainerStatusView, PodView } from './kubernetes-objects.ts';

/**
 * What a Pod's state means for its launch.
 *
 * - `terminal`: the launch fails now.
 * - `relaunch`: infrastructure took the Pod, which is nobody's fault.
 * - `grace`: as wait, but terminal once it has been so for the profile's grace period.
 * - `wait`: not a failure, whatever the phase says. With `signal`: worth telling the person who waits.
 */
export type PodVerdict =
  | { kind: 'terminal'; code: TerminalCode; says: string; about: ErrorSubject }
  | { kind: 'relaunch'; code: RelaunchCode; says: string; about: ErrorSubject }
  | { kind: 'grace'; code: TerminalCode; says: string; about: ErrorSubject }
  | { kind: 'wait'; signal?: string; says: string; about: ErrorSubject };

const pullReasons = new Set(['ErrImagePull', 'ImagePullBackOff']);

/**
 * Judges a Pod that a launch made and whose agent has not connected. Only the phases `Succeeded` and `Failed` are over;
 * every other phase, known or not, is waited for, because a node may report late (JENKINS-68649).
 *
 * @param pod the Pod as it was read, undefined when there is none
 * @param uid the uid of the Pod that the launch made
 * @returns the verdict of the first rule that applies, gravest first
 */
export function judgePod(pod: PodView | undefined, uid: string): PodVerdict {
  if (pod === undefined) return deletedExternally('the Pod is gone');
  const { name, deletionTimestamp } = pod.metadata;
  if (pod.metadata.uid !== uid)
    return deletedExternally(`Pod ${name} was replaced: uid ${pod.metadata.uid}, not ${uid}`);
  if (deletionTimestamp !== undefined)
    return deletedExternally(`Pod ${name} is being deleted since ${deletionTimestamp}`);
  return judgePhase(pod) ?? judgeContainers(pod) ?? judgeScheduling(pod) ?? stillComing(pod);
}

function deletedExternally(says: string): PodVerdict {
  return { kind: 'terminal', code: 'DeletedExternally', says, about: {} };
}

/**
 * A Pod that failed for no reason of its own failed with its container, and is told as if it had been seen a moment
 * before: the same end has the same code, whenever it is looked at.
 */
function judgePhase(pod: PodView): PodVerdict | undefined {
  const { phase, reason, message } = pod.status ?? {};
  if (phase !== 'Failed' && phase !== 'Succeeded') return undefined;
  const container = phase === 'Failed' && reason === undefined ? judgeContainers(pod) : undefined;
  if (container?.kind === 'terminal') return container;
  const says = [`phase ${phase}`, reason, message, ...allContainers(pod).map(({ status }) => stateOf(status))];
  return {
    kind: 'terminal',
    code: phase === 'Failed' ? 'PodFailed' : 'PodSucceeded',
    says: says.filter((part) => part !== undefined && part !== '').join('; '),
    about: nodeOf(pod),
  };
}

interface JudgedContainer {
  status: ContainerStatusView;
  role: 'regular' | 'init' | 'sidecar';
  about: ErrorSubject;
}

function allContainers(pod: PodView): JudgedContainer[] {
  const { containers, initContainers = [] } = pod.spec;
  const sidecars = new Set(initContainers.filter(isSidecar).map(({ name }) => name));
  const judged = (status: ContainerStatusView, role: JudgedContainer['role']) => {
    const image = [...containers, ...initContainers].find(({ name }) => name === status.name)?.image ?? status.image;
    return { status, role, about: { ...nodeOf(pod), container: status.name, ...(image ? { image } : {}) } };
  };
  return [
    ...(pod.status?.initContainerStatuses ?? []).map((status) =>
      judged(status, sidecars.has(status.name) ? 'sidecar' : 'init'),
    ),
    ...(pod.status?.containerStatuses ?? []).map((status) => judged(status, 'regular')),
  ];
}

/** @see https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/ */
function isSidecar({ restartPolicy }: { restartPolicy?: string | undefined }): boolean {
  return restartPolicy === 'Always';
}

/** One container that is over outweighs another whose image may yet be pulled. */
function judgeContainers(pod: PodView): PodVerdict | undefined {
  const verdicts = allContainers(pod)
    .map(judgeContainer)
    .filter((verdict) => verdict !== undefined);
  return verdicts.find(({ kind }) => kind === 'terminal') ?? verdicts[0];
}

function judgeContainer({ status, role, about }: JudgedContainer): PodVerdict | undefined {
  const { waiting, terminated } = status.state ?? {};
  if (waiting?.reason === 'InvalidImageName') {
    return { kind: 'terminal', code: 'ImageNameInvalid', says: wordsOf(waiting), about };
  }
  if (waiting?.reason === 'CrashLoopBackOff' || (terminated !== undefined && endsLaunch(role, terminated.exitCode))) {
    return { kind: 'terminal', code: 'ContainerTerminated', says: stateOf(status), about };
  }
  if (waiting?.reason !== undefined && pullReasons.has(waiting.reason)) {
    return { kind: 'grace', code: 'ImagePullFailed', says: wordsOf(waiting), about };
  }
  return undefined;
}

/** A sidecar is started again and an init container may end well; a regular one is to run until the agent has connected. */
function endsLaunch(role: JudgedContainer['role'], exitCode: number): boolean {
  return role === 'regular' || (role === 'init' && exitCode !== 0);
}

function judgeScheduling(pod: PodView): PodVerdict | undefined {
  const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status !== 'False' || scheduled.reason === undefined) return undefined;
  return { kind: 'wait', signal: scheduled.reason, says: wordsOf(scheduled), about: {} };
}

function stillComing(pod: PodView): PodVerdict {
  const states = allContainers(pod).map(({ status }) => stateOf(status));
  return { kind: 'wait', says: [`phase ${pod.status?.phase || 'empty'}`, ...states].join('; '), about: nodeOf(pod) };
}

function stateOf({ name, state, lastState }: ContainerStatusView): string {
  const before = lastState?.terminated ? `, before that exit code ${lastState.terminated.exitCode}` : '';
  if (state?.terminated) {
    const { exitCode, reason, message } = state.terminated;
    return `container ${name} terminated with exit code ${exitCode}${words([reason, message])}`;
  }
  if (state?.waiting)
    return `container ${name} waiting${words([state.waiting.reason, state.waiting.message])}${before}`;
  return `container ${name} ${state?.running ? 'running' : 'in no state'}${before}`;
}

function wordsOf({ reason, message }: { reason?: string | undefined; message?: string | undefined }): string {
  return [reason, message].filter((part) => part !== undefined && part !== '').join(': ');
}

function words(parts: (string | undefined)[]): string {
  const said = parts.filter((part) => part !== undefined && part !== '');
  return said.length === 0 ? '' : `: ${said.join(': ')}`;
}

function nodeOf(pod: PodView): ErrorSubject {
  return pod.spec.nodeName ? { node: pod.spec.nodeName } : {};
}
