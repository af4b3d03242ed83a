import type { ResourceName } from '../cluster-store.ts';

/** How one resource appears in the API. */
export interface ResourceDefinition {
  name: ResourceName;
  /** The API group; empty for the core group. Every version is `v1`. */
  group: string;
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
    group: '',
    kind,
    singularName: kind.toLowerCase(),
    namespaced: true,
    shortNames: [],
    inAll: false,
    hasStatus: false,
    ...properties,
  };
}

const rbac = 'rbac.authorization.k8s.io';
const admission = 'admissionregistration.k8s.io';
const clusterWide = { namespaced: false } as const;

/**
 * Every resource that the sandbox keeps. Those of RBAC, network policies, limit ranges and admission policies are only
 * kept: they have no effect.
 */
export const resources: Record<ResourceName, ResourceDefinition> = {
  namespaces: define('namespaces', 'Namespace', { namespaced: false, shortNames: ['ns'], hasStatus: true }),
  nodes: define('nodes', 'Node', { namespaced: false, shortNames: ['no'], hasStatus: true }),
  services: define('services', 'Service', { shortNames: ['svc'], inAll: true, hasStatus: true }),
  pods: define('pods', 'Pod', { shortNames: ['po'], inAll: true, hasStatus: true }),
  events: define('events', 'Event', { shortNames: ['ev'] }),
  endpoints: define('endpoints', 'Endpoints', { shortNames: ['ep'] }),
  serviceaccounts: define('serviceaccounts', 'ServiceAccount', { shortNames: ['sa'] }),
  secrets: define('secrets', 'Secret'),
  configmaps: define('configmaps', 'ConfigMap', { shortNames: ['cm'] }),
  resourcequotas: define('resourcequotas', 'ResourceQuota', { shortNames: ['quota'], hasStatus: true }),
  limitranges: define('limitranges', 'LimitRange', { shortNames: ['limits'] }),
  roles: define('roles', 'Role', { group: rbac }),
  rolebindings: define('rolebindings', 'RoleBinding', { group: rbac }),
  clusterroles: define('clusterroles', 'ClusterRole', { group: rbac, ...clusterWide }),
  clusterrolebindings: define('clusterrolebindings', 'ClusterRoleBinding', { group: rbac, ...clusterWide }),
  networkpolicies: define('networkpolicies', 'NetworkPolicy', { group: 'networking.k8s.io', shortNames: ['netpol'] }),
  validatingadmissionpolicies: define('validatingadmissionpolicies', 'ValidatingAdmissionPolicy', {
    group: admission,
    ...clusterWide,
  }),
  validatingadmissionpolicybindings: define('validatingadmissionpolicybindings', 'ValidatingAdmissionPolicyBinding', {
    group: admission,
    ...clusterWide,
  }),
};

/** The resources' names, in the order in which discovery lists them. */
export const resourceNames = Object.values(resources).map((definition) => definition.name);

/** The apiVersion of a resource's objects: `v1`, `rbac.authorization.k8s.io/v1`. */
export function apiVersionOf({ group }: Pick<ResourceDefinition, 'group'>): string {
  return group === '' ? 'v1' : `${group}/v1`;
}

/** The API groups, the core group first, each with its resources. */
export const resourcesByGroup: ReadonlyMap<string, readonly ResourceDefinition[]> = Map.groupBy(
  Object.values(resources),
  ({ group }) => group,
);

/** Finds the resource of a kind, as named by an owner reference. Returns undefined if the sandbox does not keep it. */
export function resourceOfKind(apiVersion: string, kind: string): ResourceDefinition | undefined {
  return Object.values(resources).find(
    (definition) => definition.kind === kind && apiVersionOf(definition) === apiVersion,
  );
}

/** Names a resource as messages do: `pods`, `roles.rbac.authorization.k8s.io`. */
export function qualifiedName(name: ResourceName): string {
  const { group } = resources[name];
  return group === '' ? name : `${name}.${group}`;
}
