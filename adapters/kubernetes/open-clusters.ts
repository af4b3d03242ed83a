import type { ClusterConfig } from '../../core/config/config.ts';
import { TerminalError } from '../../core/errors/errors.ts';
import { NodeView, PodView, ServiceView } from '../../core/pod/kubernetes-objects.ts';
import type { Cluster, NodeReader, OpenCluster, OpenClusterHealth } from '../../ports/cluster.ts';
import { type ClusterLink, callCluster } from './call-cluster.ts';
import type { AccessSource, ClusterAccess } from './cluster-access.ts';
import { connectCluster, type Patience } from './cluster-connection.ts';
import { clusterHealth } from './cluster-health.ts';
import { isNotFound, objectPort, unless } from './object-port.ts';
import { podReports } from './pod-reports.ts';
import { wireObject } from './wire-object.ts';

/**
 * Opens clusters of the config. Keeps a connection as long as the cluster's access is the same, so a renewed kubeconfig
 * takes effect without a deployment. After a refusal, reads the access again and reconnects, once a call.
 *
 * @param sourceOf returns the source of a cluster's access; called once for each cluster
 * @param patience as of `connectCluster`
 * @param watchesTogether as of `ClusterLink`
 */
export function openClusters(
  clusters: readonly ClusterConfig[],
  sourceOf: (cluster: ClusterConfig) => AccessSource,
  patience?: Patience,
  watchesTogether?: AbortSignal,
): OpenCluster {
  return openLinks(clusters, sourceOf, (link) => clusterOver({ ...link, watchesTogether }), patience);
}

/** Like `openClusters`, for the ports that ask the clusters whether they are healthy. */
export function openClusterHealth(
  clusters: readonly ClusterConfig[],
  sourceOf: (cluster: ClusterConfig) => AccessSource,
  patience?: Patience,
): OpenClusterHealth {
  return openLinks(clusters, sourceOf, clusterHealth, patience);
}

function openLinks<Port>(
  clusters: readonly ClusterConfig[],
  sourceOf: (cluster: ClusterConfig) => AccessSource,
  portOver: (link: ClusterLink) => Port,
  patience: Patience | undefined,
): (name: string) => Promise<Port> {
  const links = new Map(
    clusters.map((config) => [config.name, linkTo(config.name, sourceOf(config), portOver, patience)]),
  );
  return async (name) => {
    const link = links.get(name);
    if (link === undefined) throw new TerminalError('ProfileUnknown', `no cluster ${name}`, { cluster: name });
    return await link();
  };
}

/** Opens one cluster: the same port, as long as its access is the same. */
function linkTo<Port>(
  name: string,
  source: AccessSource,
  portOver: (link: ClusterLink) => Port,
  patience: Patience | undefined,
): () => Promise<Port> {
  let open: { access: ClusterAccess; port: Port } | undefined;
  return async () => {
    const access = await source.read();
    if (open?.access === access) return open.port;
    let connection = connectCluster(access, patience);
    const link = {
      name,
      connection: () => connection,
      renew: async () => {
        connection = connectCluster(await source.refresh(), patience);
      },
    };
    open = { access, port: portOver(link) };
    return open.port;
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

/** Makes the port that reads Nodes: needs the right to get nodes, which only a ClusterRole can give. */
function nodeReader(link: ClusterLink): NodeReader {
  return {
    get: (name) =>
      callCluster(link, { verb: 'get', resource: 'nodes', subject: { node: name } }, async ({ core }) => {
        const node = await unless(isNotFound, core.readNode({ name }));
        return node === undefined ? undefined : NodeView.parse(wireObject(node));
      }),
  };
}
