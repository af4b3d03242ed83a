import { type BackOffTimes, backOffMs, goDuration } from './backoff.ts';
import type { TerminatedState, WaitingState } from './container-state.ts';
import { type Container, isSidecar, type Pod, type PodSpec } from './pod.ts';

/** What is done with a container that has ended. */
type RestartPolicy = PodSpec['restartPolicy'];

/** The policy that counts for one container: an init container that has done its work is not run again. */
export function restartPolicyOf({ spec }: Pick<Pod, 'spec'>, container: Container): RestartPolicy {
  if (isSidecar(container)) {
    return 'Always';
  }
  const isInit = spec.initContainers.includes(container);
  return isInit && spec.restartPolicy === 'Always' ? 'OnFailure' : spec.restartPolicy;
}

/** Whether a container that has ended is started again. */
export function shouldRestart(policy: RestartPolicy, { exitCode }: Pick<TerminatedState, 'exitCode'>): boolean {
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

/**
 * How long a container waits to be started again: not at all the first time, then longer each time.
 *
 * @param restarts how often it was started again already, since it last ran for long
 */
export function restartDelayMs(times: BackOffTimes, restarts: number): number {
  return restarts === 0 ? 0 : backOffMs(times, restarts - 1);
}

/**
 * Whether a container that is to be started again is said to wait meanwhile: the kubelet asks the Pod's own policy, not
 * the sidecar's, and takes an init container that has ended well for one that has done its work. What is not said to
 * wait is still told as it has ended.
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

/** What a container waits for meanwhile, in the kubelet's words. */
export function crashLoop({ metadata }: Pick<Pod, 'metadata'>, containerName: string, delayMs: number): WaitingState {
  const pod = `${metadata.name}_${metadata.namespace}(${metadata.uid})`;
  const message = `back-off ${goDuration(delayMs)} restarting failed container=${containerName} pod=${pod}`;
  return { reason: 'CrashLoopBackOff', message };
}
