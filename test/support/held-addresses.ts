import { agentNameOf, labelKeys } from '../../core/launch/names.ts';
import type { PodBehaviour } from '../../sandbox/node/behaviour.ts';
import type { Pod } from '../../sandbox/node/pod.ts';
import type { SandboxCluster } from '../../sandbox/sandbox-cluster.ts';

/** Withholds node addresses from Pods until a test releases them. */
export interface HeldAddresses {
  hold(launchId: string): void;
  /** Lets the node report the address of the launch's Pod from now on. @throws Error when the launch has no Pod */
  tell(sandbox: SandboxCluster, launchId: string): void;
  readonly forPod: (pod: Pod) => Partial<PodBehaviour>;
}

/** Starts without withheld addresses. */
export function holdAddresses(): HeldAddresses {
  const held = new Set<string>();
  return {
    hold: (launchId) => void held.add(launchId),
    tell: ({ store, node }, launchId) => {
      const pod = store.list('pods').find(({ metadata }) => metadata.name === agentNameOf(launchId));
      if (pod === undefined) throw new Error(`${launchId} has no Pod`);
      held.delete(launchId);
      // Overrides no status, but makes the kubelet report again.
      node.overrideStatus(pod, undefined);
    },
    forPod: ({ metadata }) =>
      held.has(metadata.labels?.[labelKeys.launchId] ?? '') ? { hostIPDelayMs: Number.POSITIVE_INFINITY } : {},
  };
}
