import type { ObjectPort } from '../../ports/cluster.ts';
import * as z from '../../zod.ts';
import { ApiRefusal } from './api-client.ts';
import { type ClusterCall, type ClusterLink, callCluster, clusterError, withRemedies } from './call-cluster.ts';
import type { ClusterConnection } from './connect-cluster.ts';
import { observeObject, type WatchConnection } from './observe-object.ts';
import { answerOf } from './to-davit-error.ts';

/** The path of a collection in a namespace, or of an object in it. */
export function pathTo(namespace: string, resource: string, name?: string): string {
  const parts = ['api', 'v1', 'namespaces', namespace, resource, ...(name === undefined ? [] : [name])];
  return parts.map((part) => `/${encodeURIComponent(part)}`).join('');
}

/** Only a Service owns what it has to wait for; for a Pod's own sake the garbage collector need not be asked. */
const propagationPolicies = { services: 'Foreground', pods: 'Background' } as const;

/** Objects a page, as kubectl and the informers ask for. */
const pageSize = 500;

const ObjectList = z.object({
  metadata: z.withDefault(z.object({ continue: z.optional(z.string()) }), {}),
  items: z.array(z.unknown()),
});

/** Makes the port of one kind of object in one cluster. */
export function objectPort<View extends { metadata: { resourceVersion: string } }>(
  link: ClusterLink,
  schema: z.ZodMiniType<View>,
  resource: 'services' | 'pods',
): ObjectPort<View> {
  const parse = (object: unknown): View => schema.parse(object);

  function callOf(verb: string, namespace: string, name?: string): ClusterCall {
    const named = name === undefined ? {} : { [resource === 'pods' ? 'pod' : 'service']: name };
    return { verb, resource, about: { namespace, ...named } };
  }

  function call<Result>(
    verb: string,
    namespace: string,
    name: string | undefined,
    make: (connection: ClusterConnection) => Promise<Result>,
  ): Promise<Result> {
    return callCluster(link, callOf(verb, namespace, name), make);
  }

  const get = (namespace: string, name: string) =>
    call('get', namespace, name, async (connection) => {
      const object = await unless(
        isNotFound,
        connection.call({ method: 'GET', path: pathTo(namespace, resource, name) }),
      );
      return object === undefined ? undefined : parse(JSON.parse(object));
    });

  return {
    create: (manifest) => {
      const { namespace, name } = manifest.metadata;
      return call('create', namespace, name, async (connection) => {
        const object = await unless(
          isAlreadyExists,
          connection.call({ method: 'POST', path: pathTo(namespace, resource), body: manifest }),
        );
        return object === undefined ? undefined : parse(JSON.parse(object));
      });
    },
    get,
    list: (namespace, labels, cursor) =>
      call('list', namespace, undefined, async (connection) => {
        const page = { labelSelector: selectorOf(labels), limit: String(pageSize) };
        const read = (query: Readonly<Record<string, string>>) =>
          connection.call({ method: 'GET', path: pathTo(namespace, resource), query });
        const continued =
          cursor === undefined ? undefined : await unless(isExpired, read({ ...page, continue: cursor }));
        const list = ObjectList.parse(JSON.parse(continued ?? (await read(page))));
        const next = list.metadata.continue;
        return { items: list.items.map(parse), ...(next ? { cursor: next } : {}) };
      }),
    delete: (namespace, name, uid) =>
      call('delete', namespace, name, async (connection) => {
        const body = { preconditions: { uid }, propagationPolicy: propagationPolicies[resource] };
        const path = pathTo(namespace, resource, name);
        await unless(isGoneOrReplaced, connection.call({ method: 'DELETE', path, body }));
      }),
    observe: async function* (namespace, name, options) {
      const observed = { path: pathTo(namespace, resource), name, read: () => get(namespace, name), parse };
      const { patience } = link.connection();
      const tried: string[] = [];
      const stream: WatchConnection['stream'] = (...query) =>
        withRemedies(link, (watched) => watched.stream(...query), tried);
      try {
        yield* observeObject({ patience, stream }, observed, options);
      } catch (error) {
        throw clusterError(link, callOf('watch', namespace, name), error, tried);
      }
    },
  };
}

function selectorOf(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

/** Makes a call. @returns undefined when it is answered by an error that the caller expects */
export async function unless<Result>(
  expected: (error: ApiRefusal) => boolean,
  call: Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ApiRefusal && expected(error)) return undefined;
    throw error;
  }
}

const isAlreadyExists = (error: ApiRefusal) => answerOf(error).reason === 'AlreadyExists';
const isExpired = (error: ApiRefusal) => error.status === 410;
/** The object is not there. */
export const isNotFound = (error: ApiRefusal) => error.status === 404;
const isGoneOrReplaced = (error: ApiRefusal) => error.status === 404 || error.status === 409;
