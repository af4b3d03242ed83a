import { EventView } from '../../domain/kubernetes-objects.ts';
import type { PodReports } from '../../ports/cluster.ts';
import * as z from '../../zod.ts';
import type { ApiRefusal } from './api-client.ts';
import { type ClusterLink, callCluster } from './call-cluster.ts';
import { pathTo, unless } from './object-port.ts';

const mostEvents = 500;
const EventList = z.object({ items: z.array(EventView) });

/** Makes the port of what a cluster tells of its Pods. */
export function podReports(link: ClusterLink): PodReports {
  return {
    events: (namespace, pod) =>
      callCluster(link, { verb: 'list', resource: 'events', about: { namespace, pod } }, async (connection) => {
        const fieldSelector = `involvedObject.kind=Pod,involvedObject.name=${pod}`;
        const query = { fieldSelector, limit: String(mostEvents) };
        const list = await connection.call({ method: 'GET', path: pathTo(namespace, 'events'), query });
        return EventList.parse(JSON.parse(list)).items;
      }),
    log: (namespace, pod, container, { lines, bytes }) => {
      const about = { namespace, pod, container };
      return callCluster(link, { verb: 'get', resource: 'pods/log', about }, async (connection) => {
        const path = `${pathTo(namespace, 'pods', pod)}/log`;
        const query = { container, tailLines: String(lines), limitBytes: String(bytes) };
        return await unless(hasNoLog, connection.call({ method: 'GET', path, query }));
      });
    },
  };
}

/** 404: no such Pod. 400: the container has not been started, or is not one of the Pod's. */
const hasNoLog = ({ status }: ApiRefusal) => status === 404 || status === 400;
