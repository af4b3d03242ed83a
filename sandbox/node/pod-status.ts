import { kubeTime } from '../store/kube-time.ts';
import { type ConditionVerdict, kubeletConditions, mergeConditions, type PodCondition } from './conditions.ts';
import type { ContainerStatus } from './container-state.ts';
import { podPhase } from './phase.ts';
import type { Container, Pod } from './pod.ts';

/** Why a Pod has failed, whatever its containers did. */
export interface FailureVerdict {
  reason: string;
  message: string;
  /** A further condition to write, such as an eviction's DisruptionTarget. */
  condition?: ConditionVerdict;
}

/** Everything that the kubelet knows about one of its Pods. */
export interface PodProgress {
  acceptedEpochMs: number;
  hostIP: string;
  /** Absent until the Pod has its sandbox. */
  podIP?: string;
  /** When the Pod got its sandbox. */
  sandboxEpochMs?: number;
  statuses: ReadonlyMap<string, ContainerStatus>;
  /** Whether the containers are stopped permanently. */
  isTerminated: boolean;
  failure?: FailureVerdict;
}

/** The part of a Pod's status that the kubelet writes. */
export interface PodStatus extends Record<string, unknown> {
  phase: string;
  conditions: PodCondition[];
  containerStatuses: ContainerStatus[];
}

/**
 * Makes a Pod's status from what the kubelet knows.
 *
 * @param current the status in the API. Fields and conditions of other writers stay
 */
export function podStatus(
  pod: Pod,
  progress: PodProgress,
  current: Readonly<Record<string, unknown>>,
  nowEpochMs: number,
): PodStatus {
  const { reason: _reason, message: _message, ...others } = current;
  const existing = readConditions(current);
  const { failure, podIP, statuses, isTerminated } = progress;
  const hasFailed = failure !== undefined && isTerminated;
  const phase = hasFailed ? 'Failed' : podPhase(pod.spec, statuses, isTerminated);
  const trueConditions = new Set(existing.filter(({ status }) => status === 'True').map(({ type }) => type));
  const verdicts = kubeletConditions({
    spec: pod.spec,
    phase,
    statuses,
    hasSandbox: podIP !== undefined,
    trueConditions,
  });
  const disruption = failure?.condition === undefined ? [] : [failure.condition];
  return {
    ...others,
    phase,
    ...(!hasFailed ? {} : { reason: failure.reason, message: failure.message }),
    conditions: mergeConditions(existing, [...disruption, ...verdicts], kubeTime(nowEpochMs)),
    hostIP: progress.hostIP,
    hostIPs: [{ ip: progress.hostIP }],
    ...(podIP === undefined ? {} : { podIP, podIPs: [{ ip: podIP }] }),
    startTime: kubeTime(progress.acceptedEpochMs),
    ...(pod.spec.initContainers.length === 0
      ? {}
      : { initContainerStatuses: inOrder(pod.spec.initContainers, statuses) }),
    containerStatuses: inOrder(pod.spec.containers, statuses),
  };
}

/** Returns the status of a container that the kubelet has not started yet. */
export function unstartedStatus(pod: Pod, container: Container): ContainerStatus {
  const reason = pod.spec.initContainers.length === 0 ? 'ContainerCreating' : 'PodInitializing';
  return {
    name: container.name,
    image: container.image,
    imageID: '',
    ready: false,
    started: false,
    restartCount: 0,
    state: { waiting: { reason } },
    lastState: {},
  };
}

/** Reads the conditions of a stored status. */
export function readConditions(status: Readonly<Record<string, unknown>>): PodCondition[] {
  return Array.isArray(status['conditions']) ? (status['conditions'] as PodCondition[]) : [];
}

function inOrder(containers: readonly Container[], statuses: ReadonlyMap<string, ContainerStatus>): ContainerStatus[] {
  return containers.flatMap((container) => statuses.get(container.name) ?? []);
}
