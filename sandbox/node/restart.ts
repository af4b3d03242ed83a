import { type BackOffTimes, backOffMs, goDuration } from './backoff.ts';
import type { TerminatedState, WaitingState } from './container-state.ts';
import { type Container, isSidecar, type Pod, type PodSpec } from './pod.ts';

/** When to restart a container that has ended. */
type RestartPolicy = PodSpec['restartPolicy'];

/** Returns the policy that applies to one container. An init container that succeeds does not run again. */
export function restartPolicyOf({ spec }: Pick<Pod, 'spec'>, container: Container): RestartPolicy {
  if (isSidecar(container)) return 'Always';
  const isInit = spec.initContainers.includes(container);
  return isInit && spec.restartPolicy === 'Always' ? 'OnFailure' : spec.restartPolicy;
}

/** Whether to restart a container that has ended. */
export function shouldRestart(policy: RestartPolicy, { exitCode }: Pick<TerminatedState, 'exitCode'>): boolean {
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

/**
 * Returns the wait before a restart: none the first time, then longer each time.
 *
 * @param restarts how often the container has restarted since its last long run
 */
export function restartDelayMs(times: BackOffTimes, restarts: number): number {
  return restarts === 0 ? 0 : backOffMs(times, restarts - 1);
}

/**
 * Whether the status shows a container as waiting before its restart. The kubelet uses the Pod's policy here, not the
 * sidecar's. It treats an init container that has succeeded as finished. If false, the status still shows the container
 * as terminated.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/v1.34.4/pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses
 */
export function isSaidToWait(
  { spec }: Pick<Pod, 'spec'>,
  container: Container,
  { exitCode }: Pick<TerminatedState, 'exitCode'>,
): boolean {
  return spec.restartPolicy !== 'Never' && !(exitCode === 0 && spec.initContainers.includes(container));
}

/** Returns the waiting state before a restart, in the kubelet's words. */
export function crashLoop({ metadata }: Pick<Pod, 'metadata'>, containerName: string, delayMs: number): WaitingState {
  const pod = `${metadata.name}_${metadata.namespace}(${metadata.uid})`;
  const message = `back-off ${goDuration(delayMs)} restarting failed container=${containerName} pod=${pod}`;
  return { reason: 'CrashLoopBackOff', message };
}
