/** The metadata of a stored object. Times are RFC 3339 strings, as on the wire. */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
  creationTimestamp: string;
  generateName?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
}

/** @see https://kubernetes.io/docs/concepts/architecture/garbage-collection/ */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** One Kubernetes object as the wire carries it. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
  [field: string]: unknown;
}

/** The plural names of the resources that the sandbox keeps. */
export type ResourceName =
  | 'namespaces'
  | 'nodes'
  | 'services'
  | 'pods'
  | 'events'
  | 'endpoints'
  | 'serviceaccounts'
  | 'secrets'
  | 'configmaps'
  | 'resourcequotas'
  | 'limitranges'
  | 'roles'
  | 'rolebindings'
  | 'clusterroles'
  | 'clusterrolebindings'
  | 'networkpolicies'
  | 'validatingadmissionpolicies'
  | 'validatingadmissionpolicybindings';

/** One change of an object, as a watch reports it. */
export interface StoreChange {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  object: KubeObject;
}

/**
 * The sandbox cluster's objects, with the API server's semantics: uids, one growing resourceVersion, graceful deletion
 * of Pods, finalizers. The HTTP server and the node's kubelet, scheduler and proxy all use it.
 * Every method returns copies: changing a returned object does not change the store.
 */
export interface ClusterStore {
  get(resource: ResourceName, namespace: string | undefined, name: string): KubeObject | undefined;
  list(resource: ResourceName, namespace?: string): KubeObject[];
  /** @throws StatusError AlreadyExists (409), Invalid (422), NotFound for a missing namespace. */
  create(resource: ResourceName, object: Omit<KubeObject, 'metadata'> & { metadata: Partial<ObjectMeta> }): KubeObject;
  /** Replaces an object's status with the result of `change`. Returns undefined if no object has this uid any more. */
  updateStatus(
    resource: ResourceName,
    object: KubeObject,
    change: (status: Record<string, unknown>) => Record<string, unknown>,
  ): KubeObject | undefined;
  /** Binds a Pod to a node, as the scheduler's Binding does. */
  bind(pod: KubeObject, nodeName: string): KubeObject | undefined;
  /**
   * Deletes by the API server's rules. A bound Pod gets a deletionTimestamp and stays until the kubelet confirms with
   * `gracePeriodSeconds: 0`. Finalizers keep an object. `propagationPolicy` decides what happens to its dependents.
   *
   * @throws StatusError NotFound (404), Conflict (409) when a precondition does not hold.
   */
  delete(resource: ResourceName, namespace: string | undefined, name: string, options?: DeleteOptions): KubeObject;
  /** Calls `listener` in order, synchronously, after each change. Returns a function that unsubscribes it. */
  subscribe(resource: ResourceName, listener: (change: StoreChange) => void): () => void;
}

/** @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/delete-options/ */
export interface DeleteOptions {
  gracePeriodSeconds?: number;
  preconditions?: { uid?: string; resourceVersion?: string };
  propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
}
