import type { ResourceName } from '../cluster-store.ts';

/** How one resource appears in the API. */
export interface ResourceDefinition {
  name: ResourceName;
  singularName: string;
  kind: string;
  namespaced: boolean;
  shortNames: readonly string[];
  /** Whether kubectl counts it among `all`. */
  inAll: boolean;
  /** Whether status is written apart from the rest, at `/status`. */
  hasStatus: boolean;
}

const define = (
  name: ResourceName,
  kind: string,
  properties: Partial<Omit<ResourceDefinition, 'name' | 'kind'>> = {},
): ResourceDefinition => ({
  name,
  kind,
  singularName: kind.toLowerCase(),
  namespaced: true,
  shortNames: [],
  inAll: false,
  hasStatus: false,
  ...properties,
});

/** Every resource that the sandbox keeps, all of the core group, `v1`. */
export const RESOURCES: Record<ResourceName, ResourceDefinition> = {
  namespaces: define('namespaces', 'Namespace', { namespaced: false, shortNames: ['ns'], hasStatus: true }),
  nodes: define('nodes', 'Node', { namespaced: false, shortNames: ['no'], hasStatus: true }),
  services: define('services', 'Service', { shortNames: ['svc'], inAll: true, hasStatus: true }),
  pods: define('pods', 'Pod', { shortNames: ['po'], inAll: true, hasStatus: true }),
  events: define('events', 'Event', { shortNames: ['ev'] }),
  endpoints: define('endpoints', 'Endpoints', { shortNames: ['ep'] }),
  serviceaccounts: define('serviceaccounts', 'ServiceAccount', { shortNames: ['sa'] }),
};

/** The resources' names, as the discovery lists them. */
export const RESOURCE_NAMES = Object.values(RESOURCES).map((definition) => definition.name);

/** Finds the resource of a kind, such as an owner reference names; undefined if the sandbox does not keep it. */
export const resourceOfKind = (apiVersion: string, kind: string): ResourceDefinition | undefined =>
  apiVersion === 'v1' ? Object.values(RESOURCES).find((definition) => definition.kind === kind) : undefined;
