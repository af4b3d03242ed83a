import type { Cluster, ObjectPort } from '../ports/cluster.ts';

/** An object whose deletion has begun. */
export interface RemovedObject {
  kind: 'Pod' | 'Service';
  name: string;
  uid: string;
}

/**
 * Begins the deletion of all Services and Pods that have these labels, by the uid that was read. Services first: from
 * that one call on the cluster itself takes the Pod along, even if we die, and the port stays its own until the Pod has had its
 * grace period. The Pods are deleted as well, so as not to wait for that.
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
