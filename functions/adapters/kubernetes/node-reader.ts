import { NodeView } from '../../domain/kubernetes-objects.ts';
import type { NodeReader } from '../../ports/cluster.ts';
import { type ClusterLink, callCluster } from './call-cluster.ts';
import { isNotFound, parseObject, unless } from './object-port.ts';

/** Makes the port that reads Nodes: needs the right to get nodes, which only a ClusterRole can give. */
export function nodeReader(link: ClusterLink): NodeReader {
  return {
    get: (name) =>
      callCluster(link, { verb: 'get', resource: 'nodes', about: { node: name } }, async ({ api }) => {
        const node = await unless(isNotFound, api.readNode({ name }));
        return node === undefined ? undefined : parseObject(NodeView, node);
      }),
  };
}
