import type { ClusterEvent } from '../domain/cluster-events.ts';
import type { ClusterState } from '../domain/cluster-state.ts';
import { isoTime } from '../domain/epoch-ms.ts';

/**
 * Returns the event between two states of a cluster's record. A change of any other field has no event.
 *
 * @param before undefined for a new record
 */
export function eventsOfCluster(before: ClusterState | undefined, after: ClusterState): ClusterEvent[] {
  const { cluster, connected, reason, error, sinceEpochMs } = after;
  if (connected === 'unknown' || connected === before?.connected) return [];
  const at = isoTime(sinceEpochMs);
  if (connected)
    return [{ type: 'ClusterConnected', detail: { id: `${cluster}/ClusterConnected/${at}`, cluster, at } }];
  const why = { ...(reason === undefined ? {} : { reason }), ...(error === undefined ? {} : { error }) };
  return [{ type: 'ClusterDisconnected', detail: { id: `${cluster}/ClusterDisconnected/${at}`, cluster, at, ...why } }];
}
