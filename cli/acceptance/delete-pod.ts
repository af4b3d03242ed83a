import { isNotFound, unless } from '../../adapters/kubernetes/object-port.ts';
import { reachCluster } from '../conformance/reach-cluster.ts';
import { openTestedCluster } from '../conformance/tested-cluster.ts';

/** The cluster of the acceptance, with the caller's rights. */
export interface AcceptanceCluster {
  /** The server's version; undefined when the caller may not ask. */
  version: string | undefined;
  /** Deletes a Pod of the namespace. @returns whether there was one @throws ApiException and what fetch throws */
  deletePod: (name: string) => Promise<boolean>;
}

/** Opens the caller's cluster, and asks for its version. @throws CliError as `openTestedCluster` and `reachCluster` */
export async function openAcceptanceCluster(place: {
  kubeconfig: string;
  context?: string;
  namespace: string;
}): Promise<AcceptanceCluster> {
  // The acceptance makes no Pod of its own, so no image and no wait matter.
  const cluster = openTestedCluster({ ...place, image: '', waitMs: 0 });
  const { core } = cluster.connection;
  return {
    version: await reachCluster(cluster),
    deletePod: async (name) => {
      const deletion = core.deleteNamespacedPod({ namespace: place.namespace, name, gracePeriodSeconds: 0 });
      return (await unless(isNotFound, deletion)) !== undefined;
    },
  };
}
