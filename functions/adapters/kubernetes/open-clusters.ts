import {
  ApiException,
  type CoreV1Api,
  type KubernetesListObject,
  type KubernetesObject,
  type V1Pod,
} from '@kubernetes/client-node';
import type * as z from 'zod';
import type { ClusterConfig } from '../../domain/config.ts';
import { type ErrorSubject, TerminalError } from '../../domain/errors.ts';
import { PodView, ServiceView } from '../../domain/kubernetes-objects.ts';
import type { Cluster, Manifest, ObjectPort, OpenCluster } from '../../ports/cluster.ts';
import { type ClusterConnection, connectCluster, type Patience } from './connect-cluster.ts';
import { observeObject } from './observe-object.ts';
import { answerOf, toDavitError } from './to-davit-error.ts';

/**
 * Opens clusters of the config, by the kubeconfigs in their secrets. A connection is kept as long as its secret says
 * the same, so a renewed kubeconfig takes effect without a deployment.
 *
 * @param readSecret cached by its own rules
 * @param patience as of `connectCluster`
 */
export function openClusters(
  clusters: readonly ClusterConfig[],
  readSecret: (id: string) => Promise<string>,
  patience?: Patience,
): OpenCluster {
  const open = new Map<string, { kubeconfig: string; cluster: Cluster }>();
  return async (name) => {
    const config = clusters.find((candidate) => candidate.name === name);
    if (config === undefined) throw new TerminalError('ProfileUnknown', `no cluster ${name}`, { cluster: name });
    const kubeconfig = await readSecret(config.kubeconfigSecret);
    const known = open.get(name);
    if (known?.kubeconfig === kubeconfig) return known.cluster;
    const cluster = clusterOver(name, connectCluster(name, kubeconfig, patience));
    open.set(name, { kubeconfig, cluster });
    return cluster;
  };
}

/** The calls of one kind of object; all else is the same for every kind. */
interface Calls {
  create: (namespace: string, body: Manifest) => Promise<unknown>;
  read: (namespace: string, name: string) => Promise<unknown>;
  list: (
    namespace: string,
    page: { labelSelector: string; limit: number; _continue?: string },
  ) => Promise<KubernetesListObject<KubernetesObject>>;
  delete: (namespace: string, name: string, body: { preconditions: { uid: string } }) => Promise<unknown>;
}

function clusterOver(cluster: string, connection: ClusterConnection): Cluster {
  const { api } = connection;
  return {
    services: objectPort(cluster, connection, 'services', ServiceView, serviceCalls(api)),
    pods: objectPort(cluster, connection, 'pods', PodView, podCalls(api)),
  };
}

const propagationPolicy = 'Foreground';
/** Objects a page, as kubectl and the informers ask for. */
const pageSize = 500;

function serviceCalls(api: CoreV1Api): Calls {
  return {
    create: (namespace, body) => api.createNamespacedService({ namespace, body }),
    read: (namespace, name) => api.readNamespacedService({ namespace, name }),
    list: (namespace, page) => api.listNamespacedService({ namespace, ...page }),
    delete: (namespace, name, body) =>
      api.deleteNamespacedService({ namespace, name, body: { ...body, propagationPolicy } }),
  };
}

function podCalls(api: CoreV1Api): Calls {
  return {
    create: (namespace, body) => api.createNamespacedPod({ namespace, body: body as V1Pod }),
    read: (namespace, name) => api.readNamespacedPod({ namespace, name }),
    list: (namespace, page) => api.listNamespacedPod({ namespace, ...page }),
    delete: (namespace, name, body) =>
      api.deleteNamespacedPod({ namespace, name, body: { ...body, propagationPolicy } }),
  };
}

function objectPort<View extends { metadata: { resourceVersion: string } }>(
  cluster: string,
  connection: ClusterConnection,
  resource: 'services' | 'pods',
  schema: z.ZodType<View>,
  calls: Calls,
): ObjectPort<View> {
  // The client makes Dates of times; the domain reads what is on the wire.
  const parse = (object: unknown): View => schema.parse(JSON.parse(JSON.stringify(object)));

  async function call<Result>(
    verb: string,
    namespace: string,
    name: string | undefined,
    make: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await make();
    } catch (error) {
      const named = name === undefined ? {} : { [resource === 'pods' ? 'pod' : 'service']: name };
      const about: ErrorSubject = { cluster, namespace, ...named };
      throw toDavitError(error, { what: `${verb} ${resource}`, endpoint: connection.endpoint, about });
    }
  }

  const get = (namespace: string, name: string) =>
    call('get', namespace, name, async () => {
      const object = await unless(isNotFound, calls.read(namespace, name));
      return object === undefined ? undefined : parse(object);
    });

  return {
    create: (manifest) => {
      const { namespace, name } = manifest.metadata;
      return call('create', namespace, name, async () => {
        const object = await unless(isAlreadyExists, calls.create(namespace, manifest));
        return object === undefined ? undefined : parse(object);
      });
    },
    get,
    list: (namespace, labels, cursor) =>
      call('list', namespace, undefined, async () => {
        const page = { labelSelector: selectorOf(labels), limit: pageSize };
        const continued = cursor === undefined ? undefined : { ...page, _continue: cursor };
        const list =
          (continued && (await unless(isExpired, calls.list(namespace, continued)))) ??
          (await calls.list(namespace, page));
        const next = list.metadata?._continue;
        return { items: list.items.map(parse), ...(next ? { cursor: next } : {}) };
      }),
    delete: (namespace, name, uid) =>
      call('delete', namespace, name, async () => {
        await unless(isGoneOrReplaced, calls.delete(namespace, name, { preconditions: { uid } }));
      }),
    observe: async function* (namespace, name, options) {
      const path = `/api/v1/namespaces/${namespace}/${resource}`;
      const observed = { path, name, read: () => get(namespace, name), parse };
      try {
        yield* observeObject(connection, observed, options);
      } catch (error) {
        await call('watch', namespace, name, () => Promise.reject(error));
      }
    },
  };
}

function selectorOf(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

/** @returns undefined when the call is answered by an error that the caller expects */
async function unless<Result>(
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
const isNotFound = (error: ApiException<unknown>) => error.code === 404;
const isGoneOrReplaced = (error: ApiException<unknown>) => error.code === 404 || error.code === 409;
