import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiException } from '@kubernetes/client-node';
import { TransientError } from '../../core/errors/errors.ts';
import { EventView } from '../../core/pod/kubernetes-objects.ts';
import type { PodReports } from '../../ports/cluster.ts';
import { type ClusterLink, callCluster } from './call-cluster.ts';
import { itemsOf } from './list-items.ts';
import { unless } from './object-port.ts';
import { wireObject } from './wire-object.ts';

const mostEvents = 500;
/** How far a Pod's status may lag behind its containers, in milliseconds. */
const statusLagMs = 1000;

/** Makes the port of a cluster's reports about its Pods. */
export function podReports(link: ClusterLink): PodReports {
  return {
    events: (namespace, pod) =>
      callCluster(link, { verb: 'list', resource: 'events', subject: { namespace, pod } }, async ({ core }) => {
        const fieldSelector = `involvedObject.kind=Pod,involvedObject.name=${pod}`;
        const list = await core.listNamespacedEvent({ namespace, fieldSelector, limit: mostEvents });
        return itemsOf(list).map((event) => EventView.parse(wireObject(event)));
      }),
    log: async (namespace, pod, container, { lines, bytes }) => {
      const call = { verb: 'get', resource: 'pods/log', subject: { namespace, pod, container } };
      const tail = { tailLines: lines, limitBytes: bytes };
      const read = () =>
        callCluster(link, call, ({ core }) =>
          unless(hasNoLog, core.readNamespacedPodLog({ namespace, name: pod, container, ...tail })),
        );
      const log = await read();
      if (!isLost(log)) return log;
      await sleep(statusLagMs);
      const again = await read();
      if (!isLost(again)) return again;
      const { endpoint } = link.connection();
      const detail = `get pods/log at ${endpoint}: ${again}`;
      throw new TransientError('ClusterFault', detail, { cluster: link.name, ...call.subject });
    },
  };
}

/**
 * The kubelet has removed the container that the Pod's status still names, because it was started again since. It says so
 * with status 200.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/v1.34.4/pkg/kubelet/kuberuntime/kuberuntime_container.go#L1280
 */
function isLost(log: string | undefined): boolean {
  return log !== undefined && /^unable to retrieve container logs for \S+$/.test(log.trim());
}

/** 404: no such Pod. 400: the container has not started, or is not one of the Pod's. */
const hasNoLog = ({ code }: ApiException<unknown>) => code === 404 || code === 400;
