import type { KubeObject } from '../cluster-store.ts';
import type { MemoryStore } from './memory-store.ts';
import { resources } from './resources.ts';

const namespaced = Object.values(resources)
  .filter((resource) => resource.namespaced)
  .map((resource) => resource.name);

function emptyNamespace(store: MemoryStore, namespace: KubeObject): void {
  const { name } = namespace.metadata;
  const content = namespaced.flatMap((resource) =>
    store.objects.list(resource, name).map((object) => ({ resource, object })),
  );
  for (const { resource, object } of content.filter((item) => item.object.metadata.deletionTimestamp === undefined)) {
    store.delete(resource, name, object.metadata.name, { propagationPolicy: 'Background' });
  }
  if (namespaced.every((resource) => store.objects.list(resource, name).length === 0)) {
    store.update('namespaces', { ...namespace, spec: { finalizers: [] } }, { subresource: 'finalize' });
  }
}

/** Deletes the content of Namespaces that are being deleted, and releases those that are empty. */
export function emptyNamespaces(store: MemoryStore): void {
  for (const namespace of store.objects.list('namespaces')) {
    const finalizers = namespace.spec?.['finalizers'];
    if (namespace.metadata.deletionTimestamp !== undefined && Array.isArray(finalizers) && finalizers.length > 0) {
      emptyNamespace(store, namespace);
    }
  }
}
