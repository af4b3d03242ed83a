import { type ContainerStatus, isRunning, terminatedState } from './container-state.ts';
import { isSidecar, type PodSpec } from './pod.ts';

/** The phases that a kubelet writes. */
export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

/** What of a spec decides a phase. */
type PhaseSpec = Pick<PodSpec, 'containers' | 'initContainers' | 'restartPolicy'>;

/**
 * Computes a Pod's phase from its containers, as the kubelet does.
 *
 * @param statuses of the init containers and the containers, by name
 * @param isTerminated whether the containers were stopped for good, so that no restart policy counts any more
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-phase
 */
export function podPhase(
  spec: PhaseSpec,
  statuses: ReadonlyMap<string, ContainerStatus>,
  isTerminated = false,
): PodPhase {
  const initEnds = spec.initContainers
    .filter((container) => !isSidecar(container))
    .map((container) => terminatedState(statuses.get(container.name)));
  const mayRestart = spec.restartPolicy !== 'Never' && !isTerminated;
  if (!mayRestart && initEnds.some((end) => end !== undefined && end.exitCode !== 0)) {
    return 'Failed';
  }
  const containers = spec.containers.map((container) => statuses.get(container.name));
  if (!containers.every(hasRun)) {
    return isTerminated ? 'Failed' : 'Pending';
  }
  const sidecars = spec.initContainers.filter(isSidecar).map((container) => statuses.get(container.name));
  if ([...containers, ...sidecars].some(isRunning)) {
    return 'Running';
  }
  return phaseOfStopped(containers, isTerminated ? 'Never' : spec.restartPolicy);
}

/** Every container has stopped: over, or between two runs? */
function phaseOfStopped(
  containers: readonly (ContainerStatus | undefined)[],
  restartPolicy: PodSpec['restartPolicy'],
): PodPhase {
  const hasSucceeded = containers.every((status) => terminatedState(status)?.exitCode === 0);
  if (restartPolicy === 'Never') {
    return hasSucceeded ? 'Succeeded' : 'Failed';
  }
  return restartPolicy === 'OnFailure' && hasSucceeded ? 'Succeeded' : 'Running';
}

/** A container that waits between two runs has run; one that waits for its first has not. */
function hasRun(status: ContainerStatus | undefined): boolean {
  return status !== undefined && (!('waiting' in status.state) || 'terminated' in status.lastState);
}
