import type { PodTimes } from '../../core/launch/execution-state.ts';
import { podTimesOf } from '../../core/launch/timeline.ts';
import type { Cluster, ObjectPort } from '../../ports/cluster.ts';

/** An object whose deletion has started. */
export interface RemovedObject {
  kind: 'Pod' | 'Service';
  name: string;
  uid: string;
  /** The version of its collection when it was read, before its deletion. */
  since: string;
  /** A Pod's times, as it was read last. */
  times?: PodTimes;
}

/**
 * Starts the deletion of all Services and Pods with these labels, by the uids that it has read. Deletes Services first:
 * from that call on, the cluster itself deletes the Pod, even if this function dies, and the Service keeps its port until
 * the Pod's grace period is over. Then deletes the Pods as well, so that they do not wait for the cluster.
 *
 * @param held the name of a Pod to leave alone, and of its Service: Kubernetes deletes a Pod whose owner is gone
 * @returns the deleted objects; empty when none is left
 */
export async function removeObjects(
  cluster: Pick<Cluster, 'services' | 'pods'>,
  namespace: string,
  labels: Readonly<Record<string, string>>,
  held?: string,
): Promise<RemovedObject[]> {
  const services = await removeKind(cluster.services, namespace, labels, held);
  const pods = await removeKind(cluster.pods, namespace, labels, held);
  return [
    ...pods.map(({ object, since }) => ({ kind: 'Pod', ...keyOf(object), since, times: podTimesOf(object) }) as const),
    ...services.map(({ object, since }) => ({ kind: 'Service', ...keyOf(object), since }) as const),
  ];
}

interface Removed<View> extends Pick<RemovedObject, 'since'> {
  object: View;
}

async function removeKind<View extends { metadata: { name: string; uid: string } }>(
  objects: ObjectPort<View>,
  namespace: string,
  labels: Readonly<Record<string, string>>,
  held: string | undefined,
): Promise<Removed<View>[]> {
  const removed: Removed<View>[] = [];
  let cursor: string | undefined;
  do {
    const page = await objects.list(namespace, labels, cursor);
    for (const object of page.items.filter(({ metadata: { name } }) => name !== held)) {
      await objects.delete(namespace, object.metadata.name, object.metadata.uid);
      removed.push({ object, since: page.resourceVersion });
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return removed;
}

function keyOf({ metadata: { name, uid } }: { metadata: { name: string; uid: string } }) {
  return { name, uid };
}
