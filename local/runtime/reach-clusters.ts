import type { AccessSource } from '../../adapters/kubernetes/cluster-access.ts';
import { kubeconfigAccess } from '../../adapters/kubernetes/kubeconfig-access.ts';
import { openClusterHealth, openClusters } from '../../adapters/kubernetes/open-clusters.ts';
import type { ClusterConfig } from '../../core/config/config.ts';
import { probeLimits } from '../../functions/probe/probe-limits.ts';
import type { OpenCluster, OpenClusterHealth } from '../../ports/cluster.ts';
import type { LocalSecrets } from '../store/sqlite-secrets.ts';

/** The clusters of one process. */
export interface ReachedClusters {
  openCluster: OpenCluster;
  openHealth: OpenClusterHealth;
}

/** Reaches clusters by the kubeconfigs in davit's own secrets. @param stopping ends the watches that launches share */
export function reachClusters(
  clusters: readonly ClusterConfig[],
  secrets: LocalSecrets,
  stopping: AbortSignal,
): ReachedClusters {
  const sourceOf = (cluster: ClusterConfig): AccessSource => {
    if ('eks' in cluster) throw new TypeError(`${cluster.name}: one process reaches clusters by kubeconfigs`);
    return kubeconfigAccess(secrets, cluster);
  };
  return {
    openCluster: openClusters(clusters, sourceOf, undefined, stopping),
    openHealth: openClusterHealth(clusters, sourceOf, probeLimits.patience),
  };
}
