import { NodeView } from '../../domain/kubernetes-objects.ts';
import type { NodeReader } from '../../ports/cluster.ts';
import { type ClusterLink, callCluster } from './call-cluster.ts';
import { isNotFound, unless } from './object-port.ts';

/** Makes the port that reads Nodes: needs the right to get nodes, which only a ClusterRole can give. */
export function nodeReader(link: ClusterLink): NodeReader {
  return {
    get: (name) =>
      callCluster(link, { verb: 'get', resource: 'nodes', about: { node: name } }, async (connection) => {
        const path = `/api/v1/nodes/${encodeURIComponent(name)}`;
        const node = await unless(isNotFound, connection.call({ method: 'GET', path }));
        return node === undefined ? undefined : NodeView.parse(JSON.parse(node));
      }),
  };
}
