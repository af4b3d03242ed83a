/** A rule of Kubernetes' RBAC: what a subject may do. */
export interface PolicyRule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
}

/**
 * davit's calls in the namespace of its agents. It makes each of these calls, and no other: it never updates or patches,
 * and it reads no Secrets, ConfigMaps or other objects.
 */
export const namespaceRules: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['services', 'pods'], verbs: ['create', 'get', 'list', 'watch', 'delete'] },
  // For the diagnostics of a failed launch: its Pod's Events and the end of its log.
  { apiGroups: [''], resources: ['events'], verbs: ['list'] },
  { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
];

/**
 * davit's calls for Nodes, for profiles whose `hostAddress` is only in the Node. Nodes are in no namespace, so this needs
 * a ClusterRole.
 */
export const nodeRules: readonly PolicyRule[] = [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }];
