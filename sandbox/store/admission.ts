import type { ClusterStore, KubeObject, ResourceName } from '../cluster-store.ts';
import { notFound, refused } from './status-error.ts';

type ReadStore = Pick<ClusterStore, 'get'>;

const immortalNamespaces = new Set(['default', 'kube-system']);

/**
 * Makes the checks of the NamespaceLifecycle and ServiceAccount admission plugins before a create.
 *
 * @throws StatusError NotFound (404) if the Namespace does not exist. Forbidden (403) if the Namespace is terminating,
 * or if the Pod's ServiceAccount does not exist.
 */
export function admitCreate(store: ReadStore, resource: ResourceName, object: KubeObject): void {
  const { name, namespace } = object.metadata;
  if (namespace === undefined) return;
  const home = store.get('namespaces', undefined, namespace);
  if (home === undefined) throw notFound('namespaces', namespace);
  if (home.metadata.deletionTimestamp !== undefined) {
    const message = `namespace ${namespace} is being terminated`;
    throw refused(
      resource,
      name,
      `unable to create new content in namespace ${namespace} because it is being terminated`,
      [{ reason: 'NamespaceTerminating', message, field: 'metadata.namespace' }],
    );
  }
  const account = object.spec?.['serviceAccountName'];
  if (
    resource === 'pods' &&
    typeof account === 'string' &&
    store.get('serviceaccounts', namespace, account) === undefined
  ) {
    throw refused(
      resource,
      name,
      `error looking up service account ${namespace}/${account}: serviceaccount "${account}" not found`,
    );
  }
}

/** @throws StatusError Forbidden (403) for a Namespace that every cluster needs. */
export function admitDelete(resource: ResourceName, name: string): void {
  if (resource === 'namespaces' && immortalNamespaces.has(name)) {
    throw refused(resource, name, 'this namespace may not be deleted');
  }
}
