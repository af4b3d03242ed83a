import { createAwsClient } from '../adapters/aws/aws-client.ts';
import { eks as eksService, secretsManager } from '../adapters/aws/aws-services.ts';
import { createSecrets, type Secrets } from '../adapters/aws/create-secrets.ts';
import { describeEksCluster } from '../adapters/aws/describe-eks-cluster.ts';
import { createEksToken } from '../adapters/aws/eks-token.ts';
import { createJsonClient } from '../adapters/aws/json-client.ts';
import type { AccessSource } from '../adapters/kubernetes/cluster-access.ts';
import { type EksSource, eksAccess } from '../adapters/kubernetes/eks-access.ts';
import { kubeconfigAccess } from '../adapters/kubernetes/kubeconfig-access.ts';
import { openClusters } from '../adapters/kubernetes/open-clusters.ts';
import { bundledConfig } from '../bundled-config.ts';
import { homeRegion, roleCredentials } from '../config.ts';
import type { ClusterConfig, Config } from '../domain/config.ts';
import type { OpenCluster } from '../ports/cluster.ts';

/** The parts of a function that reaches clusters. */
export interface ClusterParts {
  config: Config;
  secrets: Secrets;
  openCluster: OpenCluster;
}

/** Puts together what every function that reaches a cluster is made of, from its environment. */
export function composeClusters(): ClusterParts {
  const config = bundledConfig();
  const secrets = createSecrets({ client: createJsonClient(secretsManager) });
  const sourceOf = (cluster: ClusterConfig): AccessSource =>
    'eks' in cluster ? eksAccess(eksSource, cluster) : kubeconfigAccess(secrets, cluster);
  return { config, secrets, openCluster: openClusters(config.clusters, sourceOf) };
}

const eksSource: EksSource = {
  nowEpochMs: Date.now,
  createToken: (eks) =>
    createEksToken({ credentials: roleCredentials, homeRegion: homeRegion(), nowEpochMs: Date.now }, eks),
  describe: async ({ name, eks }) =>
    describeEksCluster(createAwsClient(eksService, eks.region === undefined ? {} : { region: eks.region }), name, eks),
};
