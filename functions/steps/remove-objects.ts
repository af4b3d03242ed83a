import type { Cluster, ObjectPort } from '../ports/cluster.ts';

/** An object whose deletion has started. */
export interface RemovedObject {
  kind: 'Pod' | 'Service';
  name: string;
  uid: string;
}

/**
 * Starts the deletion of all Services and Pods that have these labels, by the uid that was read. Services first: from
 * that call on, the cluster itself deletes the Pod, even if this function dies, and the Service keeps its port until the
 * Pod's grace period is over. Deletes the Pods as well, so as not to wait for the cluster.
 *
 * @returns what was deleted; empty when there is nothing (any more)
 */
export async function removeObjects(
  cluster: Pick<Cluster, 'services' | 'pods'>,
  namespace: string,
  labels: Readonly<Record<string, string>>,
): Promise<RemovedObject[]> {
  const services = await removeKind(cluster.services, 'Service', namespace, labels);
  const pods = await removeKind(cluster.pods, 'Pod', namespace, labels);
  return [...pods, ...services];
}

async function removeKind<View extends { metadata: { name: string; uid: string } }>(
  objects: ObjectPort<View>,
  kind: RemovedObject['kind'],
  namespace: string,
  labels: Readonly<Record<string, string>>,
): Promise<RemovedObject[]> {
  const removed: RemovedObject[] = [];
  let cursor: string | undefined;
  do {
    const page = await objects.list(namespace, labels, cursor);
    for (const { metadata } of page.items) {
      await objects.delete(namespace, metadata.name, metadata.uid);
      removed.push({ kind, name: metadata.name, uid: metadata.uid });
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return removed;
}
