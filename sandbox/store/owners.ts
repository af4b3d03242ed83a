import type { ClusterStore, KubeObject, OwnerReference, ResourceName } from '../cluster-store.ts';
import { foregroundFinalizer } from './deletion.ts';
import { resourceOfKind } from './resources.ts';

/** An object and its resource. */
export interface Item {
  resource: ResourceName;
  object: KubeObject;
}

/** An owner's state: present, being deleted in the foreground, gone, or of a kind that the sandbox does not keep. */
export type OwnerState = 'solid' | 'waiting' | 'absent' | 'unknown';

/** Whether an object is being deleted and waits for its dependents to be deleted first. */
export function isWaiting(object: KubeObject): boolean {
  return (
    object.metadata.deletionTimestamp !== undefined && (object.metadata.finalizers ?? []).includes(foregroundFinalizer)
  );
}

/** Looks up an owner's state. Like a real cluster, it looks only in the dependent's own Namespace. */
export function ownerState(
  objects: Pick<ClusterStore, 'get'>,
  dependent: KubeObject,
  reference: OwnerReference,
): OwnerState {
  const resource = resourceOfKind(reference.apiVersion, reference.kind);
  if (resource === undefined) return 'unknown';
  const namespace = resource.namespaced ? dependent.metadata.namespace : undefined;
  const owner = objects.get(resource.name, namespace, reference.name);
  if (owner?.metadata.uid !== reference.uid) return 'absent';
  return isWaiting(owner) ? 'waiting' : 'solid';
}

/** Selects the items that name `owner` as an owner. */
export function dependentsOf(items: readonly Item[], owner: KubeObject): Item[] {
  return items.filter(({ object }) =>
    (object.metadata.ownerReferences ?? []).some((reference) => reference.uid === owner.metadata.uid),
  );
}
