import { createSecrets, createSecretsManagerClient } from '../../adapters/aws/create-secrets.ts';
import { createEksClient, describeEksCluster } from '../../adapters/aws/describe-eks-cluster.ts';
import type { DynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { createEksToken } from '../../adapters/aws/eks-token.ts';
import type { AccessSource } from '../../adapters/kubernetes/cluster-access.ts';
import { type EksSource, eksAccess } from '../../adapters/kubernetes/eks-access.ts';
import { kubeconfigAccess } from '../../adapters/kubernetes/kubeconfig-access.ts';
import { openClusters } from '../../adapters/kubernetes/open-clusters.ts';
import { whereExposed } from '../../adapters/kubernetes/where-exposed.ts';
import type { ClusterConfig, Config } from '../../core/config/config.ts';
import { createClusterReporter } from '../../logic/cluster-reports/cluster-reporter.ts';
import { reportCalls } from '../../logic/cluster-reports/report-calls.ts';
import type { OpenCluster } from '../../ports/cluster.ts';
import type { ClusterStates } from '../../ports/cluster-states.ts';
import type { Secrets } from '../../ports/secrets.ts';
import { bundledConfig } from '../bundled-config.ts';
import { homeRegion, roleCredentials } from '../environment.ts';
import { logger } from '../logger.ts';
import { composeClusterStates, composeLaunches } from './tables.ts';

/** How clusters are reached. */
export interface ClusterAccessDependencies {
  config: Config;
  secrets: Secrets;
  sourceOf: (cluster: ClusterConfig) => AccessSource;
}

/** The dependencies of a function that reaches clusters. */
export interface ClusterDependencies extends Omit<ClusterAccessDependencies, 'sourceOf'> {
  /** Reports each call to the clusters table. */
  openCluster: OpenCluster;
  clusterStates: ClusterStates;
}

/** Composes the access to clusters, from the environment. */
export function composeClusterAccess(): ClusterAccessDependencies {
  const config = bundledConfig();
  const secrets = createSecrets({ client: createSecretsManagerClient() });
  const sourceOf = (cluster: ClusterConfig): AccessSource =>
    'eks' in cluster ? eksAccess(eksSource, cluster) : kubeconfigAccess(secrets, cluster);
  return { config, secrets, sourceOf };
}

/** Composes what every function that reaches a cluster depends on, from its environment. */
export function composeClusters(client: DynamoClient): ClusterDependencies {
  const { config, secrets, sourceOf } = composeClusterAccess();
  const clusterStates = composeClusterStates(client);
  const reporter = createClusterReporter({ clusterStates, log: logger, nowEpochMs: Date.now });
  const open = whereExposed(openClusters(config.clusters, sourceOf), config.profiles);
  const openCluster = reportCalls(open, { reporter, nowEpochMs: Date.now });
  return { config, secrets, openCluster, clusterStates };
}

/** Composes what a step of the state machine depends on that changes its launch and calls a cluster. */
export function composeStep(client: DynamoClient) {
  const { openCluster, clusterStates } = composeClusters(client);
  return { openCluster, clusterStates, launches: composeLaunches(client), nowEpochMs: Date.now };
}

const eksSource: EksSource = {
  nowEpochMs: Date.now,
  createToken: (eks) =>
    createEksToken({ credentials: roleCredentials, homeRegion: homeRegion(), nowEpochMs: Date.now }, eks),
  describe: async ({ name, eks }) =>
    describeEksCluster(createEksClient(eks.region === undefined ? {} : { region: eks.region }), name, eks),
};
