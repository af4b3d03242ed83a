import { labelKeys } from '../../core/launch/names.ts';
import type { KubeObject } from '../../sandbox/cluster-store.ts';
import type { SandboxCluster } from '../../sandbox/sandbox-cluster.ts';
import type { ClusterFollower, FollowedChange } from './follow-cluster.ts';

const resources = ['services', 'pods'] as const;

/** Follows the changes of davit's Services and Pods in the sandbox of this process, where no client is needed. */
export function followSandbox(
  { store }: Pick<SandboxCluster, 'store'>,
  heard: (change: FollowedChange) => void,
): ClusterFollower {
  const subscriptions = resources.map((resource) =>
    store.subscribe(resource, ({ type, object }) => {
      if (isDavits(object)) heard({ type, resource, object });
    }),
  );
  return {
    present: async () => resources.flatMap((resource) => store.list(resource)).filter(isDavits),
    [Symbol.asyncDispose]: async () => {
      for (const unsubscribe of subscriptions) unsubscribe();
    },
  };
}

function isDavits({ metadata }: KubeObject): boolean {
  return metadata.labels?.[labelKeys.managedBy] === 'davit';
}
