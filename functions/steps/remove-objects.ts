import { labelKeys } from '../domain/names.ts';
import type { Cluster, ObjectPort } from '../ports/cluster.ts';

/** Where a launch's objects are. */
export interface LaunchPlace {
  launchId: string;
  namespace: string;
}

/** An object whose deletion has begun. */
export interface RemovedObject {
  kind: 'Pod' | 'Service';
  name: string;
  uid: string;
}

/**
 * Begins the deletion of a launch's objects, of whichever generation, read by their label and deleted by their uid.
 * Services first: from that one call on the cluster itself takes the Pod along, even if we die, and the port stays until
 * the Pod has had its grace period. The Pods are deleted as well, so as not to wait for that.
 *
 * @param keep the name of an agent whose objects stay
 * @returns what was deleted; empty when there is nothing (any more)
 */
export async function removeObjects(cluster: Cluster, place: LaunchPlace, keep?: string): Promise<RemovedObject[]> {
  const services = await removeKind(cluster.services, 'Service', place, keep);
  const pods = await removeKind(cluster.pods, 'Pod', place, keep);
  return [...pods, ...services];
}

async function removeKind<View extends { metadata: { name: string; uid: string } }>(
  objects: ObjectPort<View>,
  kind: RemovedObject['kind'],
  { launchId, namespace }: LaunchPlace,
  keep: string | undefined,
): Promise<RemovedObject[]> {
  const removed: RemovedObject[] = [];
  let cursor: string | undefined;
  do {
    const page = await objects.list(namespace, { [labelKeys.launchId]: launchId }, cursor);
    for (const { metadata } of page.items) {
      if (metadata.name === keep) continue;
      await objects.delete(namespace, metadata.name, metadata.uid);
      removed.push({ kind, name: metadata.name, uid: metadata.uid });
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return removed;
}
