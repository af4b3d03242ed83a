import type { ErrorSubject } from '../errors/errors.ts';
import type { ContainerStatusView, ContainerView, PodView } from './kubernetes-objects.ts';

/** One container of a Pod: its status, its spec and its role. */
export interface JudgedContainer {
  status: ContainerStatusView;
  /** Absent when the spec does not have the container that the status names. */
  spec: ContainerView | undefined;
  role: 'regular' | 'init' | 'sidecar';
  subject: ErrorSubject;
}

/** Joins each container's status with its spec, init containers first. */
export function containersOf(pod: PodView): JudgedContainer[] {
  const { containers, initContainers = [] } = pod.spec;
  const judged = (status: ContainerStatusView, ofInit: boolean): JudgedContainer => {
    const spec = (ofInit ? initContainers : containers).find(({ name }) => name === status.name);
    const image = spec?.image ?? status.image;
    const subject = { ...nodeOf(pod), container: status.name, ...(image ? { image } : {}) };
    return { status, spec, role: !ofInit ? 'regular' : isSidecar(spec) ? 'sidecar' : 'init', subject };
  };
  return [
    ...(pod.status?.initContainerStatuses ?? []).map((status) => judged(status, true)),
    ...(pod.status?.containerStatuses ?? []).map((status) => judged(status, false)),
  ];
}

/** @see https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/ */
function isSidecar(spec: ContainerView | undefined): boolean {
  return spec?.restartPolicy === 'Always';
}

/**
 * The reasons of an end whose message the runtime or the kubelet writes. With any other reason, the message is the
 * container's own: its `terminationMessagePath`, or the end of its log.
 *
 * @see https://kubernetes.io/docs/tasks/debug/debug-application/determine-reason-pod-failure/
 */
const toldByNode: ReadonlySet<string> = new Set(['StartError', 'ContainerCannotRun', 'ContainerStatusUnknown']);

/**
 * Describes a container's state, and how it ended before. Leaves out the container's own termination message, which may
 * contain a secret: the description goes into logs, events and the execution's history. Diagnostics have the message,
 * masked.
 */
export function stateOf({ name, state, lastState }: ContainerStatusView): string {
  const before = lastState?.terminated;
  const ended = before === undefined ? '' : `, before that exit code ${before.exitCode}${said([before.reason])}`;
  if (state?.terminated) {
    const { exitCode, reason, message } = state.terminated;
    const words = toldByNode.has(reason ?? '') ? [reason, message] : [reason];
    return `container ${name} terminated with exit code ${exitCode}${said(words)}`;
  }
  if (state?.waiting) {
    return `container ${name} waiting${said([state.waiting.reason, state.waiting.message])}${ended}`;
  }
  return `container ${name} ${state?.running ? 'running' : 'in no state'}${ended}`;
}

/** Describes a Pod in the cluster's words: its phase and its containers. */
export function phaseWords(pod: PodView): string {
  const { phase, reason, message } = pod.status ?? {};
  const states = containersOf(pod).map(({ status }) => stateOf(status));
  return [`phase ${phase || 'empty'}`, wordsOf({ reason, message }), ...states]
    .filter((part) => part !== '')
    .join('; ');
}

/** Describes a Pod in the cluster's words: its phase, its containers, and the conditions that it does not meet. */
export function describePod(pod: PodView): string {
  const { conditions = [] } = pod.status ?? {};
  const unmet = conditions.filter(({ status }) => status === 'False');
  // A Pod is not Ready because its containers are not.
  const told = unmet.filter(({ type }) => type !== 'Ready' || unmet.every((other) => other.type !== 'ContainersReady'));
  return [phaseWords(pod), ...told.map(conditionWords)].join('; ');
}

function conditionWords({ type, ...why }: { type: string; reason?: string | undefined; message?: string | undefined }) {
  const words = wordsOf(why);
  return words === '' ? `not ${type}` : `not ${type}: ${words}`;
}

/** Joins a reason and a message, as far as they are present. */
export function wordsOf({ reason, message }: { reason?: string | undefined; message?: string | undefined }): string {
  return [reason, message].filter((part) => part !== undefined && part !== '').join(': ');
}

/** Names the node that a Pod is bound to. */
export function nodeOf(pod: PodView): ErrorSubject {
  return pod.spec.nodeName ? { node: pod.spec.nodeName } : {};
}

function said(parts: (string | undefined)[]): string {
  const words = parts.filter((part) => part !== undefined && part !== '');
  return words.length === 0 ? '' : `: ${words.join(': ')}`;
}
