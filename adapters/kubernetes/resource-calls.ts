import type { CoreV1Api, V1Pod, V1Service } from '@kubernetes/client-node';
import type { List } from './list-items.ts';
import { sendAsItIs } from './wire-object.ts';

/** The client's calls for one kind of object. */
export interface ResourceCalls {
  create: (core: CoreV1Api, namespace: string, manifest: object) => Promise<object>;
  read: (core: CoreV1Api, namespace: string, name: string) => Promise<object>;
  list: (
    core: CoreV1Api,
    query: { namespace: string; labelSelector: string; limit: number; _continue?: string },
  ) => Promise<List<object> | null>;
  remove: (core: CoreV1Api, namespace: string, name: string, uid: string) => Promise<unknown>;
}

/** The calls for Pods and Services. */
export const resourceCalls: Readonly<Record<'pods' | 'services', ResourceCalls>> = {
  pods: {
    create: (core, namespace, manifest) => core.createNamespacedPod({ namespace, body: unsent }, sendAsItIs(manifest)),
    read: (core, namespace, name) => core.readNamespacedPod({ namespace, name }),
    list: (core, query) => core.listNamespacedPod(query),
    // Nothing depends on a Pod's own objects, so the deletion need not wait for the garbage collector.
    remove: (core, namespace, name, uid) =>
      core.deleteNamespacedPod({
        namespace,
        name,
        body: { preconditions: { uid }, propagationPolicy: 'Background' },
      }),
  },
  services: {
    create: (core, namespace, manifest) =>
      core.createNamespacedService({ namespace, body: unsent }, sendAsItIs(manifest)),
    read: (core, namespace, name) => core.readNamespacedService({ namespace, name }),
    list: (core, query) => core.listNamespacedService(query),
    // A Service owns the Pod, and has to wait for it.
    remove: (core, namespace, name, uid) =>
      core.deleteNamespacedService({
        namespace,
        name,
        body: { preconditions: { uid }, propagationPolicy: 'Foreground' },
      }),
  },
};

/** A body that the client can serialize. */
const unsent: V1Pod & V1Service = {};
