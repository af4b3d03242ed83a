import { NodeView } from '../../core/pod/kubernetes-objects.ts';
import type { NodeReader } from '../../ports/cluster.ts';
import { type ClusterLink, callCluster } from './call-cluster.ts';
import { isNotFound, unless } from './object-port.ts';
import { wireObject } from './wire-object.ts';

/** Makes the port that reads Nodes: needs the right to get nodes, which only a ClusterRole can give. */
export function nodeReader(link: ClusterLink): NodeReader {
  return {
    get: (name) =>
      callCluster(link, { verb: 'get', resource: 'nodes', subject: { node: name } }, async ({ core }) => {
        const node = await unless(isNotFound, core.readNode({ name }));
        return node === undefined ? undefined : NodeView.parse(wireObject(node));
      }),
  };
}
