import { type DavitIdentity, subjectsOf } from './davit-identity.ts';
import { type KubernetesManifest, setUpLabels } from './kubernetes-object.ts';
import { namespaceRules, nodeRules } from './rules.ts';

/** The Pod Security level of a namespace. @see https://kubernetes.io/docs/concepts/security/pod-security-standards/ */
export type PodSecurityLevel = 'privileged' | 'baseline' | 'restricted';

/** The default number of agents that a namespace holds. */
export const defaultMaxAgents = 100;

/** The limits of an agents' namespace. */
export interface AgentNamespaceLimits {
  /** @default baseline: no privileged containers, no host paths, no host network */
  podSecurity?: PodSecurityLevel;
  /**
   * How many agents may exist at once; a launch beyond that number waits.
   *
   * @default 100
   */
  maxAgents?: number;
}

/** Makes a namespace for agents, its limits, and davit's rights there. */
export function agentNamespace(
  namespace: string,
  identity: DavitIdentity,
  { podSecurity = 'baseline', maxAgents = defaultMaxAgents }: AgentNamespaceLimits = {},
): KubernetesManifest[] {
  const at = (name: string) => ({ name, namespace, labels: { ...setUpLabels } });
  return [
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name: namespace,
        labels: { ...setUpLabels, 'pod-security.kubernetes.io/enforce': podSecurity },
      },
    },
    // An account without rights, which templates can name by `serviceAccountName`. No Pod gets its token.
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: at('davit-agent'), automountServiceAccountToken: false },
    {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: at('davit-agents'),
      // Every agent has one Pod and at most one Service with one node port. Other namespaces have their own quotas.
      spec: {
        hard: {
          pods: `${maxAgents}`,
          services: `${maxAgents}`,
          'services.nodeports': `${maxAgents}`,
          'services.loadbalancers': '0',
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: at('davit-agents'),
      // Default requests, because the scheduler would put any number of containers without requests on one node. Sets no
      // limit.
      spec: { limits: [{ type: 'Container', defaultRequest: { cpu: '100m', memory: '128Mi' } }] },
    },
    { apiVersion: rbac, kind: 'Role', metadata: at('davit'), rules: namespaceRules },
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

const rbac = 'rbac.authorization.k8s.io/v1';
