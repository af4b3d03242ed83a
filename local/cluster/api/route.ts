import type { ResourceName } from '../cluster-store.ts';
import type { Verb } from '../faults.ts';
import { RESOURCES, type ResourceDefinition } from '../store/resources.ts';
import { failure } from '../store/status-error.ts';

/** What a path and a method ask for. */
export interface ResourceRoute {
  verb: Verb;
  resource: ResourceDefinition;
  subresource?: string;
  namespace?: string;
  name?: string;
}

const SUBRESOURCES: Readonly<Partial<Record<ResourceName, Readonly<Record<string, readonly string[]>>>>> = {
  pods: {
    status: ['GET', 'PUT', 'PATCH'],
    log: ['GET'],
    binding: ['POST'],
    eviction: ['POST'],
  },
  services: { status: ['GET', 'PUT', 'PATCH'] },
  nodes: { status: ['GET', 'PUT', 'PATCH'] },
  namespaces: { status: ['GET', 'PUT', 'PATCH'], finalize: ['PUT'] },
};

const COLLECTION_METHODS = ['GET', 'POST', 'DELETE'];
const OBJECT_METHODS = ['GET', 'PUT', 'PATCH', 'DELETE'];

const isResourceName = (name: string | undefined): name is ResourceName =>
  name !== undefined && Object.hasOwn(RESOURCES, name);

const verbOf = (method: string, isCollection: boolean, isWatch: boolean): Verb => {
  switch (method) {
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return isCollection ? 'deletecollection' : 'delete';
    default:
      return isWatch ? 'watch' : isCollection ? 'list' : 'get';
  }
};

/** Splits `/api/v1/...` into Namespace, resource and what follows; a Namespace itself is a resource too. */
const split = (segments: readonly string[]): { namespace?: string; rest: readonly string[] } => {
  const [first, namespace, resource] = segments;
  const isInNamespace = first === 'namespaces' && isResourceName(resource) && RESOURCES[resource].namespaced;
  return isInNamespace && namespace !== undefined ? { namespace, rest: segments.slice(2) } : { rest: segments };
};

const allowedMethods = (route: Omit<ResourceRoute, 'verb'>): readonly string[] => {
  if (route.subresource !== undefined) {
    return SUBRESOURCES[route.resource.name]?.[route.subresource] ?? [];
  }
  if (route.name !== undefined) {
    return OBJECT_METHODS;
  }
  // A list over all Namespaces can be read; to write, one has to be named.
  return route.resource.namespaced && route.namespace === undefined ? ['GET'] : COLLECTION_METHODS;
};

/**
 * Finds what a request under `/api/v1` asks for; undefined if there is nothing of that path.
 *
 * @throws StatusError MethodNotAllowed (405).
 */
export const resourceRoute = (method: string, url: URL): ResourceRoute | undefined => {
  const segments = url.pathname.split('/').slice(1).map(decodeURIComponent);
  if (segments[0] !== 'api' || segments[1] !== 'v1') {
    return undefined;
  }
  const { namespace, rest } = split(segments.slice(2));
  const [plural, name, subresource, ...excess] = rest;
  if (!isResourceName(plural) || excess.length > 0 || rest.includes('')) {
    return undefined;
  }
  const resource = RESOURCES[plural];
  const isKnown = subresource === undefined || SUBRESOURCES[plural]?.[subresource] !== undefined;
  if (!isKnown || (resource.namespaced && namespace === undefined && name !== undefined)) {
    return undefined;
  }
  const route = {
    resource,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
  };
  if (!allowedMethods(route).includes(method)) {
    throw failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
  }
  const isWatch = ['true', '1'].includes(url.searchParams.get('watch') ?? '') && subresource === undefined;
  return { ...route, verb: verbOf(method, name === undefined, isWatch) };
};
