import type { ClusterConfig } from '../../core/config/config.ts';
import { type KubernetesManifest, setUpLabels } from './kubernetes-object.ts';

/** davit's identity in a cluster: the subject of its RoleBindings. */
export type DavitIdentity =
  /** On EKS: the group to which access entries map the functions' IAM roles. */
  | { kind: 'Group'; name: string }
  /** With a client certificate or an identity provider: the user of its kubeconfig. */
  | { kind: 'User'; name: string }
  /** With a token: an account in a namespace of its own. */
  | { kind: 'ServiceAccount'; name: string; namespace: string };

/** The group that davit's access entries on EKS name. */
export const davitGroup = 'davit';

/** davit's identity on EKS. */
export const eksIdentity: DavitIdentity = { kind: 'Group', name: davitGroup };

/** davit's identity where it logs in by a token. */
export const tokenIdentity: DavitIdentity = { kind: 'ServiceAccount', name: 'davit', namespace: 'davit-system' };

/** davit's usual identity on a cluster of the config. */
export function identityOn(cluster: ClusterConfig): DavitIdentity {
  return 'eks' in cluster ? eksIdentity : tokenIdentity;
}

/** Makes the `subjects` of a binding. */
export function subjectsOf(identity: DavitIdentity): object[] {
  return identity.kind === 'ServiceAccount' ? [identity] : [{ apiGroup: 'rbac.authorization.k8s.io', ...identity }];
}

/**
 * Makes the objects of an identity: for a ServiceAccount its namespace, the account and a token; for a user or a group
 * none. The namespace is not the agents' namespace, because there every user who may create a Pod could mount the
 * token.
 */
export function identityObjects(identity: DavitIdentity): KubernetesManifest[] {
  if (identity.kind !== 'ServiceAccount') return [];
  const { name, namespace } = identity;
  return [
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      // No Pod runs in this namespace, so it can have the strictest level.
      metadata: { name: namespace, labels: { ...setUpLabels, 'pod-security.kubernetes.io/enforce': 'restricted' } },
    },
    {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name, namespace, labels: { ...setUpLabels } },
      automountServiceAccountToken: false,
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/service-account-token',
      metadata: {
        name: `${name}-token`,
        namespace,
        labels: { ...setUpLabels },
        annotations: { 'kubernetes.io/service-account.name': name },
      },
    },
  ];
}
