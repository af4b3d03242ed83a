import type { ResourceName } from '../cluster-store.ts';

/** How one resource appears in the API. */
export interface ResourceDefinition {
  name: ResourceName;
  singularName: string;
  kind: string;
  namespaced: boolean;
  shortNames: readonly string[];
  /** Whether kubectl includes it in `all`. */
  inAll: boolean;
  /** Whether clients write the status separately, at `/status`. */
  hasStatus: boolean;
}

function define(
  name: ResourceName,
  kind: string,
  properties: Partial<Omit<ResourceDefinition, 'name' | 'kind'>> = {},
): ResourceDefinition {
  return {
    name,
    kind,
    singularName: kind.toLowerCase(),
    namespaced: true,
    shortNames: [],
    inAll: false,
    hasStatus: false,
    ...properties,
  };
}

/** Every resource that the sandbox keeps. All are in the core group, version `v1`. */
export const resources: Record<ResourceName, ResourceDefinition> = {
  namespaces: define('namespaces', 'Namespace', { namespaced: false, shortNames: ['ns'], hasStatus: true }),
  nodes: define('nodes', 'Node', { namespaced: false, shortNames: ['no'], hasStatus: true }),
  services: define('services', 'Service', { shortNames: ['svc'], inAll: true, hasStatus: true }),
  pods: define('pods', 'Pod', { shortNames: ['po'], inAll: true, hasStatus: true }),
  events: define('events', 'Event', { shortNames: ['ev'] }),
  endpoints: define('endpoints', 'Endpoints', { shortNames: ['ep'] }),
  serviceaccounts: define('serviceaccounts', 'ServiceAccount', { shortNames: ['sa'] }),
};

/** The resources' names, in the order in which discovery lists them. */
export const resourceNames = Object.values(resources).map((definition) => definition.name);

/** Finds the resource of a kind, as named by an owner reference. Returns undefined if the sandbox does not keep it. */
export function resourceOfKind(apiVersion: string, kind: string): ResourceDefinition | undefined {
  return apiVersion === 'v1' ? Object.values(resources).find((definition) => definition.kind === kind) : undefined;
}
