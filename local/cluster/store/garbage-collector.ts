import type { KubeObject, ObjectMeta, OwnerReference, ResourceName } from '../cluster-store.ts';
import type { LoggedChange } from './change-log.ts';
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER } from './deletion.ts';
import { expireEvents } from './event-expiry.ts';
import type { MemoryStore } from './memory-store.ts';
import { emptyNamespaces } from './namespace-emptying.ts';
import { dependentsOf, type Item, isWaiting, ownerState } from './owners.ts';
import { RESOURCE_NAMES } from './resources.ts';

const DEFAULT_DELAY_MS = 10;
// An Event outlives what it is about and owns nothing; leaving Events out keeps a sweep short.
const COLLECTED: readonly ResourceName[] = RESOURCE_NAMES.filter((name) => name !== 'events');

const concernsCollector = ({ type, object, previous }: LoggedChange): boolean => {
  const { deletionTimestamp, ownerReferences } = object.metadata;
  const hasNewOwners = ownerReferences !== undefined && previous?.metadata.ownerReferences !== ownerReferences;
  return type === 'DELETED' || deletionTimestamp !== undefined || hasNewOwners;
};

const withoutFinalizer = (object: KubeObject, finalizer: string): KubeObject => {
  const finalizers = (object.metadata.finalizers ?? []).filter((each) => each !== finalizer);
  return { ...object, metadata: { ...object.metadata, finalizers } };
};

const withOwners = (object: KubeObject, ownerReferences: OwnerReference[]): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, ownerReferences },
});

const isBlocked = ({ uid }: ObjectMeta, dependents: readonly Item[]): boolean =>
  dependents.some(({ object }) =>
    (object.metadata.ownerReferences ?? []).some(
      (reference) => reference.uid === uid && reference.blockOwnerDeletion === true,
    ),
  );

const orphan = (store: MemoryStore, { uid }: ObjectMeta, dependents: readonly Item[]): void => {
  for (const { resource, object } of dependents) {
    const { name, namespace } = object.metadata;
    // Read anew: another owner may have let go of it earlier in this pass.
    const present = store.get(resource, namespace, name);
    if (present !== undefined) {
      const others = (present.metadata.ownerReferences ?? []).filter((reference) => reference.uid !== uid);
      store.update(resource, withOwners(present, others));
    }
  }
};

/** Frees an owner of a finalizer of the collector's own, once what that stands for is done. */
const releaseOwner = (store: MemoryStore, { resource, object }: Item, items: readonly Item[]): void => {
  const { metadata } = object;
  if (isWaiting(object)) {
    if (!isBlocked(metadata, dependentsOf(items, object))) {
      store.update(resource, withoutFinalizer(object, FOREGROUND_FINALIZER));
    }
  } else if (metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(ORPHAN_FINALIZER) === true) {
    orphan(store, metadata, dependentsOf(items, object));
    store.update(resource, withoutFinalizer(object, ORPHAN_FINALIZER));
  }
};

/** Deletes a dependent that no owner holds any more, or takes from it the owners that it has lost. */
const collectDependent = (store: MemoryStore, { resource, object }: Item, items: readonly Item[]): void => {
  const { name, namespace, uid, deletionTimestamp, ownerReferences = [] } = object.metadata;
  const owners = ownerReferences.map((reference) => ({
    reference,
    state: ownerState(store.objects, object, reference),
  }));
  if (deletionTimestamp !== undefined || owners.length === 0 || owners.some(({ state }) => state === 'unknown')) {
    return;
  }
  const solid = owners.filter(({ state }) => state === 'solid').map(({ reference }) => reference);
  if (solid.length > 0) {
    if (solid.length < owners.length) {
      store.update(resource, withOwners(object, solid));
    }
    return;
  }
  const inForeground = owners.some(({ state }) => state === 'waiting') && dependentsOf(items, object).length > 0;
  store.delete(resource, namespace, name, {
    preconditions: { uid },
    propagationPolicy: inForeground ? 'Foreground' : 'Background',
  });
};

const collect = (store: MemoryStore): void => {
  const items = (): Item[] =>
    COLLECTED.flatMap((resource) => store.objects.list(resource).map((object) => ({ resource, object })));
  // Each pass may change what the next one is to judge, so each reads anew.
  for (const pass of [releaseOwner, collectDependent]) {
    const all = items();
    for (const item of all) {
      const { name, namespace, resourceVersion } = item.object.metadata;
      // Changed within this pass: the change has scheduled another sweep, which judges it as it is then.
      if (store.objects.get(item.resource, namespace, name)?.metadata.resourceVersion === resourceVersion) {
        pass(store, item, all);
      }
    }
  }
  emptyNamespaces(store);
  expireEvents(store, Date.now());
};

/**
 * Runs the garbage collector and the Namespace controller: dependents follow their owners, content its Namespace. Old
 * Events are swept out on the way.
 *
 * @param delayMs - how long after a change the sweep that looks at it begins
 * @returns how to stop it
 * @see https://kubernetes.io/docs/concepts/architecture/garbage-collection/
 */
export const startGarbageCollector = (store: MemoryStore, delayMs = DEFAULT_DELAY_MS): (() => void) => {
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
};
