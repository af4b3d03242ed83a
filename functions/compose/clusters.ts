import { createSecrets, createSecretsManagerClient, type Secrets } from '../adapters/aws/create-secrets.ts';
import { createEksClient, describeEksCluster } from '../adapters/aws/describe-eks-cluster.ts';
import { createEksToken } from '../adapters/aws/eks-token.ts';
import type { AccessSource } from '../adapters/kubernetes/cluster-access.ts';
import { type EksSource, eksAccess } from '../adapters/kubernetes/eks-access.ts';
import { kubeconfigAccess } from '../adapters/kubernetes/kubeconfig-access.ts';
import { openClusters } from '../adapters/kubernetes/open-clusters.ts';
import { bundledConfig } from '../bundled-config.ts';
import type { ClusterConfig, Config } from '../domain/config.ts';
import { homeRegion, roleCredentials } from '../environment.ts';
import type { OpenCluster } from '../ports/cluster.ts';

/** What a function that reaches clusters depends on. */
export interface ClusterDependencies {
  config: Config;
  secrets: Secrets;
  openCluster: OpenCluster;
}

/** Composes what every function that reaches a cluster depends on, from its environment. */
export function composeClusters(): ClusterDependencies {
  const config = bundledConfig();
  const secrets = createSecrets({ client: createSecretsManagerClient() });
  const sourceOf = (cluster: ClusterConfig): AccessSource =>
    'eks' in cluster ? eksAccess(eksSource, cluster) : kubeconfigAccess(secrets, cluster);
  return { config, secrets, openCluster: openClusters(config.clusters, sourceOf) };
}

const eksSource: EksSource = {
  nowEpochMs: Date.now,
  createToken: (eks) =>
    createEksToken({ credentials: roleCredentials, homeRegion: homeRegion(), nowEpochMs: Date.now }, eks),
  describe: async ({ name, eks }) =>
    describeEksCluster(createEksClient(eks.region === undefined ? {} : { region: eks.region }), name, eks),
};
