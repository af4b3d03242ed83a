import { type ClusterState, type NamespaceState, namespaceStateOf } from '../../core/cluster/cluster-state.ts';
import type { Connection } from '../../core/cluster/connection.ts';
import { isoTime } from '../../core/epoch-ms.ts';
import type { ClusterEvent } from '../../core/events/cluster-events.ts';

/**
 * Returns the events between two states of a cluster's record: of the cluster, and of each of its namespaces. A change
 * of any other field has no event.
 *
 * @param before undefined for a new record
 */
export function eventsOfCluster(before: ClusterState | undefined, after: ClusterState): ClusterEvent[] {
  const namespaces = after.namespaces ?? [];
  return [
    ...eventsOfConnection(before, after),
    ...namespaces.flatMap((state) =>
      eventsOfNamespace(after.cluster, namespaceStateOf(before, state.namespace), state),
    ),
  ];
}

function eventsOfConnection(before: ClusterState | undefined, after: ClusterState): ClusterEvent[] {
  const { cluster, connected, sinceEpochMs } = after;
  if (connected === 'unknown' || connected === before?.connected) return [];
  const at = isoTime(sinceEpochMs);
  if (connected)
    return [{ type: 'ClusterConnected', detail: { id: `${cluster}/ClusterConnected/${at}`, cluster, at } }];
  const id = `${cluster}/ClusterDisconnected/${at}`;
  return [{ type: 'ClusterDisconnected', detail: { id, cluster, at, ...whyOf(after) } }];
}

/** The first proof of a namespace is no event: that launches work there is what everybody expects. */
function eventsOfNamespace(cluster: string, before: NamespaceState | undefined, after: NamespaceState): ClusterEvent[] {
  const { namespace, connected, sinceEpochMs } = after;
  const wasAway = before?.connected === false;
  if (connected === 'unknown' || wasAway !== connected) return [];
  const at = isoTime(sinceEpochMs);
  const idOf = (type: string) => `${cluster}/${namespace}/${type}/${at}`;
  if (connected)
    return [{ type: 'NamespaceConnected', detail: { id: idOf('NamespaceConnected'), cluster, namespace, at } }];
  const detail = { id: idOf('NamespaceDisconnected'), cluster, namespace, at, ...whyOf(after) };
  return [{ type: 'NamespaceDisconnected', detail }];
}

function whyOf({ reason, error }: Connection): Pick<Connection, 'reason' | 'error'> {
  return { ...(reason === undefined ? {} : { reason }), ...(error === undefined ? {} : { error }) };
}
