import type { BackOffTimes } from './backoff.ts';
import type { Pod } from './pod.ts';

/** How a node treats a Pod. The defaults are those of a well-behaved kubelet. */
export interface PodBehaviour {
  /** How long a Pod waits for its sandbox, in milliseconds. @default 0 */
  startDelayMs: number;
  /** How long an image pull takes, whether or not it succeeds. @default 0 */
  imagePullMs: number;
  /** The waits between failing pulls. @default from 10 s, doubling up to 5 min */
  imagePullBackOff: BackOffTimes;
  /** The waits between restarts, from the second restart on. @default from 10 s, doubling up to 5 min */
  crashBackOff: BackOffTimes;
  /** How long the kubelet waits before it syncs a Pod again after a failure. @default 1000 */
  resyncMs: number;
  /** How long the phase stays `Pending` after all containers run. @default 0 */
  phaseLagMs: number;
  /** How long the status lacks `hostIP` after the node accepts the Pod. Infinity means for ever. @default 0 */
  hostIPDelayMs: number;
  /** How long the status lacks `podIP` after the Pod has an address. Infinity means for ever. @default 0 */
  podIPDelayMs: number;
  /** How late each status reaches the API. @default 0 */
  statusLagMs: number;
  /** A virtual kubelet's own reasons instead of ContainerCreating: before and after the Pod has its sandbox. */
  waitingWords?: readonly [creating: string, waiting: string];
  /** Kills each container this long after its start, as a crash or an exceeded memory limit (OOMKilled) does. */
  kill?: { afterMs: number; outOfMemory: boolean };
}

/** A node's behaviour. A change while the node runs affects everything that happens afterwards. */
export interface NodeBehaviour extends PodBehaviour {
  forPod?: (pod: Pod) => Partial<PodBehaviour>;
}

/** A well-behaved node. */
export const ordinaryNode: Readonly<PodBehaviour> = {
  startDelayMs: 0,
  imagePullMs: 0,
  imagePullBackOff: { baseMs: 10_000, maxMs: 300_000 },
  crashBackOff: { baseMs: 10_000, maxMs: 300_000 },
  resyncMs: 1000,
  phaseLagMs: 0,
  hostIPDelayMs: 0,
  podIPDelayMs: 0,
  statusLagMs: 0,
};

/**
 * The differences of a virtual node: it polls the phase and the containers separately.
 *
 * @see https://issues.jenkins.io/browse/JENKINS-68649
 */
export const virtualNode: Readonly<Partial<PodBehaviour>> = { phaseLagMs: 3000, waitingWords: ['Creating', 'Waiting'] };

/** Returns the behaviour that applies to one Pod. */
export function behaviourFor(behaviour: NodeBehaviour, pod: Pod): PodBehaviour {
  return { ...behaviour, ...behaviour.forPod?.(pod) };
}
