import type { Profile } from '../../core/config/config.ts';
import { nanoQuantity } from '../../core/pod/nano-quantity.ts';
import { agentNetwork } from './agent-network.ts';
import { type DavitIdentity, subjectsOf } from './davit-identity.ts';
import { type KubernetesManifest, setUpLabels } from './kubernetes-object.ts';
import { nodeRules, rulesOf } from './rules.ts';

/** The Pod Security level of a namespace. @see https://kubernetes.io/docs/concepts/security/pod-security-standards/ */
export type PodSecurityLevel = 'privileged' | 'baseline' | 'restricted';

/** The default number of agents that a namespace holds. */
export const defaultMaxAgents = 100;

/** The default disk of a container: a job that fills it is evicted, and its node goes on. */
export const defaultMaxStorage = '10Gi';

/** The limits of an agents' namespace. */
export interface AgentNamespaceLimits {
  /** @default baseline: no privileged containers, no host paths, no host network */
  podSecurity?: PodSecurityLevel;
  /** The levels of single namespaces, by their names: one profile may need more than the others. */
  podSecurityOf?: Readonly<Record<string, PodSecurityLevel>>;
  /** How many agents may exist at once; a launch beyond that number waits. @default 100 */
  maxAgents?: number;
  /**
   * How much of its node's disk a container may use, for its files, its logs and its `emptyDir` volumes. A template that
   * asks for more raises the maximum, and gets it.
   *
   * @default 10Gi
   */
  maxStorage?: string;
}

/**
 * Makes a namespace for agents, its limits, its network, and davit's rights there.
 *
 * @param profiles those that launch there
 */
export function agentNamespace(
  namespace: string,
  profiles: readonly Profile[],
  identity: DavitIdentity,
  {
    podSecurity = 'baseline',
    podSecurityOf = {},
    maxAgents = defaultMaxAgents,
    maxStorage = defaultMaxStorage,
  }: AgentNamespaceLimits = {},
): KubernetesManifest[] {
  const isExposed = profiles.some(({ expose }) => expose === 'nodePort');
  const maxServices = isExposed ? maxAgents : 0;
  const at = (name: string) => ({ name, namespace, labels: { ...setUpLabels } });
  return [
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name: namespace,
        labels: { ...setUpLabels, 'pod-security.kubernetes.io/enforce': podSecurityOf[namespace] ?? podSecurity },
      },
    },
    // An account without rights, which templates can name by `serviceAccountName`. No Pod gets its token.
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: at('davit-agent'), automountServiceAccountToken: false },
    {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: at('davit-agents'),
      // Every agent has one Pod, and if it is exposed, one Service with one node port.
      spec: {
        hard: {
          pods: `${maxAgents}`,
          services: `${maxServices}`,
          'services.nodeports': `${maxServices}`,
          'services.loadbalancers': '0',
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: at('davit-agents'),
      // Default requests, because the scheduler would put any number of containers without requests on one node. A limit
      // for the disk alone: a job that fills it takes the node away from the others, and a template rarely names one.
      spec: {
        limits: [
          {
            type: 'Container',
            defaultRequest: { cpu: '100m', memory: '128Mi', [storage]: smallest(['1Gi', maxStorage]) },
            default: { [storage]: largest([maxStorage, ...profiles.flatMap(requestedStorageOf)]) },
            max: { [storage]: largest([maxStorage, ...profiles.flatMap(storageOf)]) },
          },
        ],
      },
    },
    ...agentNetwork(namespace, profiles),
    { apiVersion: rbac, kind: 'Role', metadata: at('davit'), rules: rulesOf({ isExposed }) },
    {
      apiVersion: rbac,
      kind: 'RoleBinding',
      metadata: at('davit'),
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'davit' },
      subjects: subjectsOf(identity),
    },
  ];
}

/** Makes the right to read Nodes. */
export function nodeReading(identity: DavitIdentity): KubernetesManifest[] {
  const metadata = { name: 'davit-nodes', labels: { ...setUpLabels } };
  return [
    { apiVersion: rbac, kind: 'ClusterRole', metadata, rules: nodeRules },
    {
      apiVersion: rbac,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name },
      subjects: subjectsOf(identity),
    },
  ];
}

const storage = 'ephemeral-storage';

/** Lists the disks that a profile's template asks for. */
function storageOf(profile: Profile): string[] {
  return resourcesOf(profile).flatMap(({ limits, requests }) => [...quantityIn(limits), ...quantityIn(requests)]);
}

/** Lists the disks that a template requests without a limit: the API server refuses a request above the default limit. */
function requestedStorageOf(profile: Profile): string[] {
  return resourcesOf(profile).flatMap(({ limits, requests }) =>
    quantityIn(limits).length > 0 ? [] : quantityIn(requests),
  );
}

function resourcesOf({ template: { spec } }: Profile) {
  return [...(spec.initContainers ?? []), ...spec.containers].map(({ resources = {} }) => resources);
}

function quantityIn(quantities: Record<string, unknown> | undefined): string[] {
  const quantity = quantities?.[storage];
  return typeof quantity === 'string' || typeof quantity === 'number' ? [String(quantity)] : [];
}

function largest(quantities: string[]): string | undefined {
  return quantities.toSorted(bySize).at(-1);
}

function smallest(quantities: string[]): string | undefined {
  return quantities.toSorted(bySize)[0];
}

function bySize(one: string, other: string): number {
  const [left, right] = [nanoQuantity(one) ?? 0n, nanoQuantity(other) ?? 0n];
  return left < right ? -1 : Number(left > right);
}

const rbac = 'rbac.authorization.k8s.io/v1';
