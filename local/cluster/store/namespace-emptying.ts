import type { KubeObject } from '../cluster-store.ts';
import type { MemoryStore } from './memory-store.ts';
import { RESOURCES } from './resources.ts';

const NAMESPACED = Object.values(RESOURCES)
  .filter((resource) => resource.namespaced)
  .map((resource) => resource.name);

const emptyNamespace = (store: MemoryStore, namespace: KubeObject): void => {
  const { name } = namespace.metadata;
  const content = NAMESPACED.flatMap((resource) =>
    store.objects.list(resource, name).map((object) => ({ resource, object })),
  );
  for (const { resource, object } of content.filter((item) => item.object.metadata.deletionTimestamp === undefined)) {
    store.delete(resource, name, object.metadata.name, { propagationPolicy: 'Background' });
  }
  if (NAMESPACED.every((resource) => store.objects.list(resource, name).length === 0)) {
    store.update('namespaces', { ...namespace, spec: { finalizers: [] } }, { subresource: 'finalize' });
  }
};

/** Deletes what is in the Namespaces that are being deleted, and lets those go that are empty. */
export const emptyNamespaces = (store: MemoryStore): void => {
  for (const namespace of store.objects.list('namespaces')) {
    const finalizers = namespace.spec?.['finalizers'];
    if (namespace.metadata.deletionTimestamp !== undefined && Array.isArray(finalizers) && finalizers.length > 0) {
      emptyNamespace(store, namespace);
    }
  }
};
