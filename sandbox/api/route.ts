import { present } from '../../core/present.ts';
import type { ResourceName } from '../cluster-store.ts';
import type { Verb } from '../faults.ts';
import { type ResourceDefinition, resources } from '../store/resources.ts';
import { failure } from '../store/status-error.ts';

/** The resource and verb that a path and a method address. */
export interface ResourceRoute {
  verb: Verb;
  resource: ResourceDefinition;
  subresource?: string;
  namespace?: string;
  name?: string;
}

const subresources: Readonly<Partial<Record<ResourceName, Readonly<Record<string, readonly string[]>>>>> = {
  pods: { status: ['GET', 'PUT', 'PATCH'], log: ['GET'], binding: ['POST'], eviction: ['POST'] },
  services: { status: ['GET', 'PUT', 'PATCH'] },
  resourcequotas: { status: ['GET', 'PUT', 'PATCH'] },
  nodes: { status: ['GET', 'PUT', 'PATCH'] },
  namespaces: { status: ['GET', 'PUT', 'PATCH'], finalize: ['PUT'] },
};

const collectionMethods = ['GET', 'POST', 'DELETE'];
const objectMethods = ['GET', 'PUT', 'PATCH', 'DELETE'];

function isResourceName(name: string | undefined): name is ResourceName {
  return name !== undefined && Object.hasOwn(resources, name);
}

function verbOf(method: string, isCollection: boolean, isWatch: boolean): Verb {
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
}

/** Splits the Namespace from the rest of the path. A Namespace is a resource, too. */
function split(segments: readonly string[]): { namespace?: string; rest: readonly string[] } {
  const [first, namespace, resource] = segments;
  const isInNamespace = first === 'namespaces' && isResourceName(resource) && resources[resource].namespaced;
  return isInNamespace && namespace !== undefined ? { namespace, rest: segments.slice(2) } : { rest: segments };
}

function allowedMethods(route: Omit<ResourceRoute, 'verb'>): readonly string[] {
  if (route.subresource !== undefined) return subresources[route.resource.name]?.[route.subresource] ?? [];
  if (route.name !== undefined) return objectMethods;
  // A client can read across all Namespaces. To write, it must name one.
  return route.resource.namespaced && route.namespace === undefined ? ['GET'] : collectionMethods;
}

/**
 * Finds the route of a request for objects, under `/api/v1` or `/apis/GROUP/v1`. Returns undefined if the path does not exist.
 *
 * @throws StatusError MethodNotAllowed (405) if the path does not support the method.
 */
export function resourceRoute(method: string, url: URL): ResourceRoute | undefined {
  const segments = url.pathname.split('/').slice(1).map(decodeURIComponent);
  const [root, ...below] = segments;
  const [group, version, ...path] = root === 'api' ? ['', ...below] : below;
  if (!['api', 'apis'].includes(root ?? '') || version !== 'v1' || (root === 'apis' && group === '')) return undefined;
  const { namespace, rest } = split(path);
  const [plural, name, subresource, ...excess] = rest;
  if (!isResourceName(plural) || excess.length > 0 || rest.includes('')) return undefined;
  const resource = resources[plural];
  if (resource.group !== group) return undefined;
  const isKnown = subresource === undefined || subresources[plural]?.[subresource] !== undefined;
  if (!isKnown || (resource.namespaced && namespace === undefined && name !== undefined)) return undefined;
  const route = { resource, ...present({ namespace, name, subresource }) };
  if (!allowedMethods(route).includes(method)) {
    throw failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
  }
  const isWatch = ['true', '1'].includes(url.searchParams.get('watch') ?? '') && subresource === undefined;
  return { ...route, verb: verbOf(method, name === undefined, isWatch) };
}
