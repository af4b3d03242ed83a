import type { BackOffTimes } from './backoff.ts';
import type { Pod } from './pod.ts';

/** How a node treats a Pod: as a well-behaved kubelet does, unless told otherwise. */
export interface PodBehaviour {
  /** How long a Pod waits for its sandbox. @default 0 */
  startDelayMs: number;
  /** How long a pull takes, whether it succeeds or not. @default 0 */
  imagePullMs: number;
  /** The waits between failing pulls. @default 10 s, doubled up to 5 min */
  imagePullBackOff: BackOffTimes;
  /** The waits between restarts, from the second on. @default 10 s, doubled up to 5 min */
  crashBackOff: BackOffTimes;
  /** How long the kubelet takes to look at a Pod again after a failure. @default 1000 */
  resyncMs: number;
  /** How long the phase stays `Pending` although all containers run. @default 0 */
  phaseLagMs: number;
  /** How long `hostIP` is missing after the node took the Pod; Infinity: for ever. @default 0 */
  hostIPDelayMs: number;
  /** How long `podIP` is missing after the Pod has it; Infinity: for ever. @default 0 */
  podIPDelayMs: number;
  /** How much later than it becomes true each status reaches the API. @default 0 */
  statusLagMs: number;
  /** A virtual kubelet's own words in place of ContainerCreating: before and after the Pod has its sandbox. */
  waitingWords?: readonly [creating: string, waiting: string];
  /** Kills each container that long after its start, as an exhausted memory limit (OOMKilled) or a crash does. */
  kill?: { afterMs: number; outOfMemory: boolean };
}

/** A node's behaviour; changing it while the node runs concerns everything that happens from then on. */
export interface NodeBehaviour extends PodBehaviour {
  /** What is different for one Pod. */
  forPod?: (pod: Pod) => Partial<PodBehaviour>;
}

/** A node as it should be. */
export const ORDINARY_NODE: Readonly<PodBehaviour> = {
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
 * What is different on a virtual node: it polls the phase and the containers apart from each other.
 *
 * @see https://issues.jenkins.io/browse/JENKINS-68649
 */
export const VIRTUAL_NODE: Readonly<Partial<PodBehaviour>> = {
  phaseLagMs: 3000,
  waitingWords: ['Creating', 'Waiting'],
};

/** The behaviour that counts for one Pod. */
export function behaviourFor(behaviour: NodeBehaviour, pod: Pod): PodBehaviour {
  return { ...behaviour, ...behaviour.forPod?.(pod) };
}
