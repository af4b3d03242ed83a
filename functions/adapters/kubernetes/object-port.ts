import {
  ApiException,
  type CoreV1Api,
  type KubernetesListObject,
  type KubernetesObject,
  type V1Pod,
} from '@kubernetes/client-node';
import type * as z from 'zod';
import type { Manifest, ObjectPort } from '../../ports/cluster.ts';
import { type ClusterCall, type ClusterLink, callCluster, clusterError, withRemedies } from './call-cluster.ts';
import { observeObject, type WatchConnection } from './observe-object.ts';
import { answerOf } from './to-davit-error.ts';

/** The calls of one kind of object; all else is the same for every kind. */
export interface ObjectCalls {
  resource: 'services' | 'pods';
  create: (api: CoreV1Api, namespace: string, body: Manifest) => Promise<unknown>;
  read: (api: CoreV1Api, namespace: string, name: string) => Promise<unknown>;
  list: (
    api: CoreV1Api,
    namespace: string,
    page: { labelSelector: string; limit: number; _continue?: string },
  ) => Promise<KubernetesListObject<KubernetesObject>>;
  delete: (api: CoreV1Api, namespace: string, name: string, body: DeleteBody) => Promise<unknown>;
}

interface DeleteBody {
  preconditions: { uid: string };
  propagationPolicy: 'Foreground';
}

/** The calls for Services. */
export const serviceCalls: ObjectCalls = {
  resource: 'services',
  create: (api, namespace, body) => api.createNamespacedService({ namespace, body }),
  read: (api, namespace, name) => api.readNamespacedService({ namespace, name }),
  list: (api, namespace, page) => api.listNamespacedService({ namespace, ...page }),
  delete: (api, namespace, name, body) => api.deleteNamespacedService({ namespace, name, body }),
};

/** The calls for Pods. */
export const podCalls: ObjectCalls = {
  resource: 'pods',
  create: (api, namespace, body) => api.createNamespacedPod({ namespace, body: body as V1Pod }),
  read: (api, namespace, name) => api.readNamespacedPod({ namespace, name }),
  list: (api, namespace, page) => api.listNamespacedPod({ namespace, ...page }),
  delete: (api, namespace, name, body) => api.deleteNamespacedPod({ namespace, name, body }),
};

/** Objects a page, as kubectl and the informers ask for. */
const pageSize = 500;

/** Makes the port of one kind of object in one cluster. */
export function objectPort<View extends { metadata: { resourceVersion: string } }>(
  link: ClusterLink,
  schema: z.ZodType<View>,
  calls: ObjectCalls,
): ObjectPort<View> {
  const { resource } = calls;
  const parse = (object: unknown): View => parseObject(schema, object);

  function callOf(verb: string, namespace: string, name?: string): ClusterCall {
    const named = name === undefined ? {} : { [resource === 'pods' ? 'pod' : 'service']: name };
    return { verb, resource, about: { namespace, ...named } };
  }

  function call<Result>(
    verb: string,
    namespace: string,
    name: string | undefined,
    make: (api: CoreV1Api) => Promise<Result>,
  ): Promise<Result> {
    return callCluster(link, callOf(verb, namespace, name), ({ api }) => make(api));
  }

  const get = (namespace: string, name: string) =>
    call('get', namespace, name, async (api) => {
      const object = await unless(isNotFound, calls.read(api, namespace, name));
      return object === undefined ? undefined : parse(object);
    });

  return {
    create: (manifest) => {
      const { namespace, name } = manifest.metadata;
      return call('create', namespace, name, async (api) => {
        const object = await unless(isAlreadyExists, calls.create(api, namespace, manifest));
        return object === undefined ? undefined : parse(object);
      });
    },
    get,
    list: (namespace, labels, cursor) =>
      call('list', namespace, undefined, async (api) => {
        const page = { labelSelector: selectorOf(labels), limit: pageSize };
        const continued = cursor === undefined ? undefined : { ...page, _continue: cursor };
        const list =
          (continued && (await unless(isExpired, calls.list(api, namespace, continued)))) ??
          (await calls.list(api, namespace, page));
        const next = list.metadata?._continue;
        return { items: list.items.map(parse), ...(next ? { cursor: next } : {}) };
      }),
    delete: (namespace, name, uid) =>
      call('delete', namespace, name, async (api) => {
        const body: DeleteBody = { preconditions: { uid }, propagationPolicy: 'Foreground' };
        await unless(isGoneOrReplaced, calls.delete(api, namespace, name, body));
      }),
    observe: async function* (namespace, name, options) {
      const path = `/api/v1/namespaces/${namespace}/${resource}`;
      const observed = { path, name, read: () => get(namespace, name), parse };
      const { patience } = link.connection();
      const stream: WatchConnection['stream'] = (...query) => withRemedies(link, (watched) => watched.stream(...query));
      try {
        yield* observeObject({ patience, stream }, observed, options);
      } catch (error) {
        throw clusterError(link, callOf('watch', namespace, name), error);
      }
    },
  };
}

/** The client makes Dates of times; the domain reads what is on the wire. */
export function parseObject<View>(schema: z.ZodType<View>, object: unknown): View {
  return schema.parse(JSON.parse(JSON.stringify(object)));
}

function selectorOf(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

/** Makes a call. @returns undefined when it is answered by an error that the caller expects */
export async function unless<Result>(
  expected: (error: ApiException<unknown>) => boolean,
  call: Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ApiException && expected(error)) return undefined;
    throw error;
  }
}

const isAlreadyExists = (error: ApiException<unknown>) => answerOf(error).reason === 'AlreadyExists';
const isExpired = (error: ApiException<unknown>) => error.code === 410;
/** The object is not there. */
export const isNotFound = (error: ApiException<unknown>) => error.code === 404;
const isGoneOrReplaced = (error: ApiException<unknown>) => error.code === 404 || error.code === 409;
