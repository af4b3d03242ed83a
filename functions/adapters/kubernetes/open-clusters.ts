import type { ClusterConfig } from '../../domain/config.ts';
import { TerminalError } from '../../domain/errors.ts';
import { PodView, ServiceView } from '../../domain/kubernetes-objects.ts';
import type { Cluster, OpenCluster } from '../../ports/cluster.ts';
import type { ClusterLink } from './call-cluster.ts';
import type { AccessSource, ClusterAccess } from './cluster-access.ts';
import { connectCluster, type Patience } from './cluster-connection.ts';
import { nodeReader } from './node-reader.ts';
import { objectPort } from './object-port.ts';
import { podReports } from './pod-reports.ts';

/**
 * Opens clusters of the config. A connection is kept as long as the cluster is reached in the same way, so a renewed
 * kubeconfig takes effect without a deployment; and one that is refused is made anew, once a call, in the way that is
 * found then.
 *
 * @param sourceOf where the access to a cluster is found; asked once for each
 * @param patience as of `connectCluster`
 */
export function openClusters(
  clusters: readonly ClusterConfig[],
  sourceOf: (cluster: ClusterConfig) => AccessSource,
  patience?: Patience,
): OpenCluster {
  const links = new Map(clusters.map((config) => [config.name, linkTo(config.name, sourceOf(config), patience)]));
  return async (name) => {
    const link = links.get(name);
    if (link === undefined) throw new TerminalError('ProfileUnknown', `no cluster ${name}`, { cluster: name });
    return await link();
  };
}

/** A way to one cluster: the same Cluster, as long as its access is the same. */
function linkTo(name: string, source: AccessSource, patience: Patience | undefined): () => Promise<Cluster> {
  let open: { access: ClusterAccess; cluster: Cluster } | undefined;
  return async () => {
    const access = await source.read();
    if (open?.access === access) return open.cluster;
    let connection = connectCluster(access, patience);
    const link = {
      name,
      connection: () => connection,
      renew: async () => {
        connection = connectCluster(await source.refresh(), patience);
      },
    };
    open = { access, cluster: clusterOver(link) };
    return open.cluster;
  };
}

function clusterOver(link: ClusterLink): Cluster {
  return {
    services: objectPort(link, ServiceView, 'services'),
    pods: objectPort(link, PodView, 'pods'),
    nodes: nodeReader(link),
    reports: podReports(link),
  };
}
