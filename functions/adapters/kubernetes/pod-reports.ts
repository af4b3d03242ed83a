import type { ApiException } from '@kubernetes/client-node';
import { EventView } from '../../domain/kubernetes-objects.ts';
import type { PodReports } from '../../ports/cluster.ts';
import { type ClusterLink, callCluster } from './call-cluster.ts';
import { unless } from './object-port.ts';
import { wireObject } from './wire-object.ts';

const mostEvents = 500;

/** Makes the port of a cluster's reports about its Pods. */
export function podReports(link: ClusterLink): PodReports {
  return {
    events: (namespace, pod) =>
      callCluster(link, { verb: 'list', resource: 'events', subject: { namespace, pod } }, async ({ core }) => {
        const fieldSelector = `involvedObject.kind=Pod,involvedObject.name=${pod}`;
        const { items } = await core.listNamespacedEvent({ namespace, fieldSelector, limit: mostEvents });
        return items.map((event) => EventView.parse(wireObject(event)));
      }),
    log: (namespace, pod, container, { lines, bytes }) => {
      const subject = { namespace, pod, container };
      return callCluster(link, { verb: 'get', resource: 'pods/log', subject }, async ({ core }) => {
        const tail = { tailLines: lines, limitBytes: bytes };
        return await unless(hasNoLog, core.readNamespacedPodLog({ namespace, name: pod, container, ...tail }));
      });
    },
  };
}

/** 404: no such Pod. 400: the container has not started, or is not one of the Pod's. */
const hasNoLog = ({ code }: ApiException<unknown>) => code === 404 || code === 400;
