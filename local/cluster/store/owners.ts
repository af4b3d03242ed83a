import type { ClusterStore, KubeObject, OwnerReference, ResourceName } from '../cluster-store.ts';
import { FOREGROUND_FINALIZER } from './deletion.ts';
import { resourceOfKind } from './resources.ts';

/** An object together with the resource that it is one of. */
export interface Item {
  resource: ResourceName;
  object: KubeObject;
}

/** How an owner stands: there, being deleted in the foreground, gone, or of a kind that nobody here can look up. */
export type OwnerState = 'solid' | 'waiting' | 'absent' | 'unknown';

/** Whether an object is being deleted and waits for its dependents to go first. */
export const isWaiting = (object: KubeObject): boolean =>
  object.metadata.deletionTimestamp !== undefined && (object.metadata.finalizers ?? []).includes(FOREGROUND_FINALIZER);

/** Looks up how an owner stands; it is looked for in the dependent's own Namespace only, as in a real cluster. */
export const ownerState = (
  objects: Pick<ClusterStore, 'get'>,
  dependent: KubeObject,
  reference: OwnerReference,
): OwnerState => {
  const resource = resourceOfKind(reference.apiVersion, reference.kind);
  if (resource === undefined) {
    return 'unknown';
  }
  const namespace = resource.namespaced ? dependent.metadata.namespace : undefined;
  const owner = objects.get(resource.name, namespace, reference.name);
  if (owner?.metadata.uid !== reference.uid) {
    return 'absent';
  }
  return isWaiting(owner) ? 'waiting' : 'solid';
};

/** The objects among `items` that name `owner` as an owner. */
export const dependentsOf = (items: readonly Item[], owner: KubeObject): Item[] =>
  items.filter(({ object }) =>
    (object.metadata.ownerReferences ?? []).some((reference) => reference.uid === owner.metadata.uid),
  );
