import type { KubeObject, ObjectMeta, OwnerReference, ResourceName } from '../cluster-store.ts';
import type { LoggedChange } from './change-log.ts';
import { foregroundFinalizer, orphanFinalizer } from './deletion.ts';
import { expireEvents } from './event-expiry.ts';
import type { MemoryStore } from './memory-store.ts';
import { emptyNamespaces } from './namespace-emptying.ts';
import { dependentsOf, type Item, isWaiting, ownerState } from './owners.ts';
import { resourceNames } from './resources.ts';

const defaultDelayMs = 10;
// An Event outlives its object and owns nothing. Leaving Events out keeps a sweep short.
const collected: readonly ResourceName[] = resourceNames.filter((name) => name !== 'events');

function concernsCollector({ type, object, previous }: LoggedChange): boolean {
  const { deletionTimestamp, ownerReferences } = object.metadata;
  const hasNewOwners = ownerReferences !== undefined && previous?.metadata.ownerReferences !== ownerReferences;
  return type === 'DELETED' || deletionTimestamp !== undefined || hasNewOwners;
}

function withoutFinalizer(object: KubeObject, finalizer: string): KubeObject {
  const finalizers = (object.metadata.finalizers ?? []).filter((each) => each !== finalizer);
  return { ...object, metadata: { ...object.metadata, finalizers } };
}

function withOwners(object: KubeObject, ownerReferences: OwnerReference[]): KubeObject {
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}

function isBlocked({ uid }: ObjectMeta, dependents: readonly Item[]): boolean {
  return dependents.some(({ object }) =>
    (object.metadata.ownerReferences ?? []).some(
      (reference) => reference.uid === uid && reference.blockOwnerDeletion === true,
    ),
  );
}

function orphan(store: MemoryStore, { uid }: ObjectMeta, dependents: readonly Item[]): void {
  for (const { resource, object } of dependents) {
    const { name, namespace } = object.metadata;
    // Reads the object again: an earlier step of this pass may have removed another owner.
    const present = store.get(resource, namespace, name);
    if (present !== undefined) {
      const others = (present.metadata.ownerReferences ?? []).filter((reference) => reference.uid !== uid);
      store.update(resource, withOwners(present, others));
    }
  }
}

/** Removes the collector's own finalizer from an owner once its dependents are dealt with. */
function releaseOwner(store: MemoryStore, { resource, object }: Item, items: readonly Item[]): void {
  const { metadata } = object;
  if (isWaiting(object)) {
    if (!isBlocked(metadata, dependentsOf(items, object))) {
      store.update(resource, withoutFinalizer(object, foregroundFinalizer));
    }
  } else if (metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(orphanFinalizer) === true) {
    orphan(store, metadata, dependentsOf(items, object));
    store.update(resource, withoutFinalizer(object, orphanFinalizer));
  }
}

/** Deletes a dependent that has no owner left, or removes references to owners that no longer exist. */
function collectDependent(store: MemoryStore, { resource, object }: Item, items: readonly Item[]): void {
  const { name, namespace, uid, deletionTimestamp, ownerReferences = [] } = object.metadata;
  const owners = ownerReferences.map((reference) => ({
    reference,
    state: ownerState(store.objects, object, reference),
  }));
  if (deletionTimestamp !== undefined || owners.length === 0 || owners.some(({ state }) => state === 'unknown')) return;
  const solid = owners.filter(({ state }) => state === 'solid').map(({ reference }) => reference);
  if (solid.length > 0) {
    if (solid.length < owners.length) store.update(resource, withOwners(object, solid));
    return;
  }
  const inForeground = owners.some(({ state }) => state === 'waiting') && dependentsOf(items, object).length > 0;
  store.delete(resource, namespace, name, {
    preconditions: { uid },
    propagationPolicy: inForeground ? 'Foreground' : 'Background',
  });
}

function collect(store: MemoryStore): void {
  const items = (): Item[] =>
    collected.flatMap((resource) => store.objects.list(resource).map((object) => ({ resource, object })));
  // A pass can change what the next one judges, so each pass reads the objects again.
  for (const pass of [releaseOwner, collectDependent]) {
    const all = items();
    for (const item of all) {
      const { name, namespace, resourceVersion } = item.object.metadata;
      // Skips an object that changed within this pass: the change has scheduled another sweep, which judges it.
      if (store.objects.get(item.resource, namespace, name)?.metadata.resourceVersion === resourceVersion) {
        pass(store, item, all);
      }
    }
  }
  emptyNamespaces(store);
  expireEvents(store, Date.now());
}

/**
 * Runs the garbage collector and the Namespace controller. They delete the dependents of deleted owners and the content
 * of deleted Namespaces. Each sweep also deletes old Events.
 *
 * @param delayMs the time from a change to the sweep that it causes, in milliseconds
 * @returns a function that stops it
 * @see https://kubernetes.io/docs/concepts/architecture/garbage-collection/
 */
export function startGarbageCollector(store: MemoryStore, delayMs = defaultDelayMs): () => void {
  let timer: NodeJS.Timeout | undefined;
  const unsubscribe = store.changes.subscribe((change) => {
    if (timer === undefined && concernsCollector(change)) {
      timer = setTimeout(() => {
        timer = undefined;
        collect(store);
      }, delayMs);
    }
  });
  return () => {
    unsubscribe();
    clearTimeout(timer);
  };
}
