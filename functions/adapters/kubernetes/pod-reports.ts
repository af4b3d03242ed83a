import { ApiException } from '@kubernetes/client-node';
import { EventView } from '../../domain/kubernetes-objects.ts';
import type { PodReports } from '../../ports/cluster.ts';
import { type ClusterLink, callCluster } from './call-cluster.ts';
import { parseObject } from './object-port.ts';

const mostEvents = 500;

/** Makes the port of what a cluster tells of its Pods. */
export function podReports(link: ClusterLink): PodReports {
  return {
    events: (namespace, pod) =>
      callCluster(link, { verb: 'list', resource: 'events', about: { namespace, pod } }, async ({ api }) => {
        const fieldSelector = `involvedObject.kind=Pod,involvedObject.name=${pod}`;
        const { items } = await api.listNamespacedEvent({ namespace, fieldSelector, limit: mostEvents });
        return items.map((item) => parseObject(EventView, item));
      }),
    log: (namespace, pod, container, { lines, bytes }) => {
      const about = { namespace, pod, container };
      return callCluster(link, { verb: 'get', resource: 'pods/log', about }, async ({ api }) => {
        try {
          return await api.readNamespacedPodLog({
            namespace,
            name: pod,
            container,
            tailLines: lines,
            limitBytes: bytes,
          });
        } catch (error) {
          // 404: no such Pod. 400: the container has not been started, or is not one of the Pod's.
          if (error instanceof ApiException && (error.code === 404 || error.code === 400)) return undefined;
          throw error;
        }
      });
    },
  };
}
