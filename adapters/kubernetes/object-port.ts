import { ApiException } from '@kubernetes/client-node';
import type * as z from '../../core/zod.ts';
import type { ObjectPort } from '../../ports/cluster.ts';
import { type ClusterCall, type ClusterLink, callCluster, clusterError, withRemedies } from './call-cluster.ts';
import type { ClusterConnection } from './cluster-connection.ts';
import { itemsOf, versionOf } from './list-items.ts';
import { observeObject, type WatchObject, watchAlone } from './observe-object.ts';
import { resourceCalls } from './resource-calls.ts';
import { answerOf } from './to-davit-error.ts';
import type { WatchConnection } from './watch-events.ts';
import { watchTogether } from './watch-together.ts';
import { wireObject } from './wire-object.ts';

/** Objects per page, as kubectl and the informers request. */
const pageSize = 500;

type Labels = Readonly<Record<string, string>>;

/** Makes the port of one kind of object in one cluster. */
export function objectPort<
  View extends { metadata: { uid: string; resourceVersion: string; labels?: Labels | undefined } },
>(link: ClusterLink, schema: z.ZodMiniType<View>, resource: 'services' | 'pods'): ObjectPort<View> {
  const parse = (object: unknown): View => schema.parse(object);
  const read = (object: object): View => parse(wireObject(object));
  const calls = resourceCalls[resource];

  function callOf(verb: string, namespace: string, name?: string): ClusterCall {
    const named = name === undefined ? {} : { [resource === 'pods' ? 'pod' : 'service']: name };
    return { verb, resource, subject: { namespace, ...named } };
  }

  function call<Result>(
    verb: string,
    namespace: string,
    name: string | undefined,
    make: (connection: ClusterConnection) => Promise<Result>,
  ): Promise<Result> {
    return callCluster(link, callOf(verb, namespace, name), make);
  }

  const shared = new Map<string, WatchObject>();
  const watchIn = (namespace: string, tried: string[]): WatchObject => {
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/${resource}`;
    const connect = (remedies?: string[]): WatchConnection => ({
      patience: link.connection().patience,
      stream: (...query) => withRemedies(link, (connection) => connection.stream(...query), remedies),
    });
    if (link.watchesTogether === undefined) return watchAlone(connect(tried), path);
    const watch = shared.get(path) ?? watchTogether(connect(), path, link.watchesTogether);
    shared.set(path, watch);
    return watch;
  };

  const get = (namespace: string, name: string) =>
    call('get', namespace, name, async (connection) => {
      const object = await unless(isNotFound, calls.read(connection.core, namespace, name));
      return object === undefined ? undefined : read(object);
    });

  return {
    create: (manifest) => {
      const { namespace, name } = manifest.metadata;
      return call('create', namespace, name, async (connection) => {
        const object = await unless(isAlreadyExists, calls.create(connection.core, namespace, manifest));
        return object === undefined ? undefined : read(object);
      });
    },
    get,
    list: (namespace, labels, cursor) =>
      call('list', namespace, undefined, async (connection) => {
        const query = { namespace, labelSelector: selectorOf(labels), limit: pageSize };
        const rest = { ...query, ...(cursor === undefined ? {} : { _continue: cursor }) };
        const page = cursor === undefined ? undefined : await unless(isExpired, calls.list(connection.core, rest));
        const listed = page ?? (await calls.list(connection.core, query));
        const next = listed?.metadata?._continue;
        // What is listed may be deleted: a server or a proxy that ignores the selector must not decide that.
        const selected = itemsOf(listed)
          .map(read)
          .filter((object) => hasLabels(object, labels));
        return { items: selected, resourceVersion: versionOf(listed), ...(next ? { cursor: next } : {}) };
      }),
    delete: (namespace, name, uid) =>
      call('delete', namespace, name, async (connection) => {
        await unless(isGoneOrReplaced, calls.remove(connection.core, namespace, name, uid));
      }),
    observe: async function* (namespace, name, options) {
      const tried: string[] = [];
      const watch = watchIn(namespace, tried);
      const { pauseMs } = link.connection().patience;
      try {
        yield* observeObject({ name, read: () => get(namespace, name), parse, watch, pauseMs }, options);
      } catch (error) {
        throw clusterError(link, callOf('watch', namespace, name), error, tried);
      }
    },
  };
}

function hasLabels({ metadata }: { metadata: { labels?: Labels | undefined } }, labels: Labels): boolean {
  return Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value);
}

function selectorOf(labels: Labels): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

/** Makes a call. @returns undefined when the answer is an error that the caller expects */
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
/** The API server says that the object is not there. The 404 of a proxy in front of it says nothing about the object. */
export const isNotFound = (error: ApiException<unknown>) => answerOf(error).reason === 'NotFound';
const isGoneOrReplaced = (error: ApiException<unknown>) => isNotFound(error) || answerOf(error).reason === 'Conflict';
