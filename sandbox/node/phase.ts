import { type ContainerStatus, isRunning, terminatedState } from './container-state.ts';
import { isSidecar, type PodSpec } from './pod.ts';

/** The phases that a kubelet writes. */
export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

/** The part of a spec that decides the phase. */
type PhaseSpec = Pick<PodSpec, 'containers' | 'initContainers' | 'restartPolicy'>;

/**
 * Computes a Pod's phase from its containers, as the kubelet does.
 *
 * @param statuses the statuses of all containers and init containers, by name
 * @param isTerminated whether the containers are stopped permanently, so that the restart policy no longer matters
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
  if (!mayRestart && initEnds.some((end) => end !== undefined && end.exitCode !== 0)) return 'Failed';
  const containers = spec.containers.map((container) => statuses.get(container.name));
  if (!containers.every(hasRun)) return isTerminated ? 'Failed' : 'Pending';
  const sidecars = spec.initContainers.filter(isSidecar).map((container) => statuses.get(container.name));
  if ([...containers, ...sidecars].some(isRunning)) return 'Running';
  return phaseOfStopped(containers, isTerminated ? 'Never' : spec.restartPolicy);
}

/** Decides whether a Pod whose containers have all stopped is over or between two runs. */
function phaseOfStopped(
  containers: readonly (ContainerStatus | undefined)[],
  restartPolicy: PodSpec['restartPolicy'],
): PodPhase {
  const hasSucceeded = containers.every((status) => terminatedState(status)?.exitCode === 0);
  if (restartPolicy === 'Never') return hasSucceeded ? 'Succeeded' : 'Failed';
  return restartPolicy === 'OnFailure' && hasSucceeded ? 'Succeeded' : 'Running';
}

/** Whether a container has run. One that waits between two runs has, one that waits for its first run has not. */
function hasRun(status: ContainerStatus | undefined): boolean {
  return status !== undefined && (!('waiting' in status.state) || 'terminated' in status.lastState);
}
