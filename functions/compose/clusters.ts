import { createSecretsManagerClient } from '../adapters/aws/clients.ts';
import { createSecrets, type Secrets } from '../adapters/aws/create-secrets.ts';
import { openClusters } from '../adapters/kubernetes/open-clusters.ts';
import { bundledConfig } from '../config.ts';
import type { Config } from '../domain/config.ts';
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
  const secrets = createSecrets({ client: createSecretsManagerClient() });
  return { config, secrets, openCluster: openClusters(config.clusters, secrets) };
}
