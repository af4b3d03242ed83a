/** A rule of Kubernetes' RBAC: what a subject may do. */
export interface PolicyRule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
}

/**
 * What davit does in the namespace of its agents. It makes each of these calls, and no other: it never updates or patches,
 * and it reads no Secrets, ConfigMaps or other objects.
 */
export const namespaceRules: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['services', 'pods'], verbs: ['create', 'get', 'list', 'watch', 'delete'] },
  // For the diagnostics of a failed launch: its Pod's Events and the end of its log.
  { apiGroups: [''], resources: ['events'], verbs: ['list'] },
  { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
];

/**
 * What davit does with Nodes, for profiles whose `hostAddress` is known to the Node only. Nodes are in no namespace, so this
 * needs a ClusterRole.
 */
export const nodeRules: readonly PolicyRule[] = [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }];
