import type { AccessSource } from '../../adapters/kubernetes/cluster-access.ts';
import { type KubeconfigSource, kubeconfigAccess } from '../../adapters/kubernetes/kubeconfig-access.ts';
import type { ClusterConfig } from '../../core/config/config.ts';

/** Makes a config's clusters use the kubeconfig in their secret. */
export function byKubeconfig(secrets: KubeconfigSource): (cluster: ClusterConfig) => AccessSource {
  return (cluster) => {
    if ('eks' in cluster) throw new Error(`cluster ${cluster.name} has no kubeconfig`);
    return kubeconfigAccess(secrets, cluster);
  };
}
