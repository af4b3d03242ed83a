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

/** What a container waits for meanwhile, in the kubelet's words. */
export function crashLoop({ metadata }: Pick<Pod, 'metadata'>, containerName: string, delayMs: number): WaitingState {
  const pod = `${metadata.name}_${metadata.namespace}(${metadata.uid})`;
  const message = `back-off ${goDuration(delayMs)} restarting failed container=${containerName} pod=${pod}`;
  return { reason: 'CrashLoopBackOff', message };
}
