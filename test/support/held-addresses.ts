import { agentNameOf, labelKeys } from '../../functions/domain/names.ts';
import type { PodBehaviour } from '../../sandbox/node/behaviour.ts';
import type { Pod } from '../../sandbox/node/pod.ts';
import type { SandboxCluster } from '../../sandbox/sandbox-cluster.ts';

/** A node's addresses, of which some are held back until a test has them told. */
export interface HeldAddresses {
  hold(launchId: string): void;
  /** Has the node say from now on where the launch's Pod is. @throws Error when the launch has no Pod */
  tell(sandbox: SandboxCluster, launchId: string): void;
  /** For the node's behaviour. */
  readonly forPod: (pod: Pod) => Partial<PodBehaviour>;
}

/** Holds no address yet. */
export function holdAddresses(): HeldAddresses {
  const held = new Set<string>();
  return {
    hold: (launchId) => void held.add(launchId),
    tell: ({ store, node }, launchId) => {
      const pod = store.list('pods').find(({ metadata }) => metadata.name === agentNameOf(launchId));
      if (pod === undefined) throw new Error(`${launchId} has no Pod`);
      held.delete(launchId);
      // Nothing is put in the place of the truth, but the kubelet tells it anew.
      node.overrideStatus(pod, undefined);
    },
    forPod: ({ metadata }) =>
      held.has(metadata.labels?.[labelKeys.launchId] ?? '') ? { hostIPDelayMs: Number.POSITIVE_INFINITY } : {},
  };
}
