import type { ClusterConfig } from '../../domain/config.ts';
import { TerminalError } from '../../domain/errors.ts';
import { PodView, ServiceView } from '../../domain/kubernetes-objects.ts';
import type { Cluster, OpenCluster } from '../../ports/cluster.ts';
import type { ClusterLink } from './call-cluster.ts';
import { type ClusterConnection, connectCluster, type Patience } from './connect-cluster.ts';
import { nodeReader } from './node-reader.ts';
import { objectPort, podCalls, serviceCalls } from './object-port.ts';
import { podReports } from './pod-reports.ts';

/** Where the clusters' kubeconfigs are read. */
export interface KubeconfigSource {
  /** Cached by its own rules. */
  read: (secretId: string) => Promise<string>;
  /** Past any cache. */
  refresh: (secretId: string) => Promise<string>;
}

/**
 * Opens clusters of the config, by the kubeconfigs in their secrets. A connection is kept as long as its secret says
 * the same, so a renewed kubeconfig takes effect without a deployment; and one that is refused is made anew, once a
 * call, with the secret as it is then.
 *
 * @param patience as of `connectCluster`
 */
export function openClusters(
  clusters: readonly ClusterConfig[],
  secrets: KubeconfigSource,
  patience?: Patience,
): OpenCluster {
  const open = new Map<string, { kubeconfig: string; cluster: Cluster }>();
  return async (name) => {
    const config = clusters.find((candidate) => candidate.name === name);
    if (config === undefined) throw new TerminalError('ProfileUnknown', `no cluster ${name}`, { cluster: name });
    const kubeconfig = await secrets.read(config.kubeconfigSecret);
    const known = open.get(name);
    if (known?.kubeconfig === kubeconfig) return known.cluster;
    const connect = (text: string) => connectCluster(name, text, patience);
    const refresh = () => secrets.refresh(config.kubeconfigSecret);
    const cluster = clusterOver(linkOf(name, connect(kubeconfig), async () => connect(await refresh())));
    open.set(name, { kubeconfig, cluster });
    return cluster;
  };
}

function linkOf(name: string, first: ClusterConnection, connectAnew: () => Promise<ClusterConnection>): ClusterLink {
  let connection = first;
  return {
    name,
    connection: () => connection,
    renew: async () => {
      connection = await connectAnew();
    },
  };
}

function clusterOver(link: ClusterLink): Cluster {
  return {
    services: objectPort(link, ServiceView, serviceCalls),
    pods: objectPort(link, PodView, podCalls),
    nodes: nodeReader(link),
    reports: podReports(link),
  };
}
