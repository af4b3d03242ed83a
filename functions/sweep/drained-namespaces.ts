import type { ClusterNamespace } from './candidate.ts';
import type { SweepDeps } from './sweep-deps.ts';

/**
 * Names the namespaces in clusters that davit.yaml has and no profile names, because a person drains them. A create that
 * takes effect late may leave objects there after the last launch is over.
 *
 * @throws TransientError StoreUnavailable
 */
export async function drainedNamespaces({ clusters, profiles, clusterStates }: SweepDeps): Promise<ClusterNamespace[]> {
  const drained = clusters.filter((cluster) => !profiles.some((profile) => profile.clusters.includes(cluster)));
  const ofEach = drained.map(async (cluster) => {
    const { namespaces = [] } = (await clusterStates.get(cluster)) ?? {};
    return namespaces.map(({ namespace }) => ({ cluster, namespace }));
  });
  return (await Promise.all(ofEach)).flat();
}
