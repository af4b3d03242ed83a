/** What somebody may do in a cluster, in the words of Kubernetes' RBAC. */
export interface PolicyRule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
}

/**
 * What davit does in the namespace of its agents: each of these calls is made, and no other is. It never updates and
 * never patches, and of Secrets, ConfigMaps and whatever else is there it reads nothing.
 */
export const namespaceRules: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['services', 'pods'], verbs: ['create', 'get', 'list', 'watch', 'delete'] },
  // What a failed launch is told with: its Pod's Events and the end of its log.
  { apiGroups: [''], resources: ['events'], verbs: ['list'] },
  { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
];

/**
 * What davit does with Nodes, for profiles whose `hostAddress` only the Node tells. Nodes are in no namespace, so this
 * takes a ClusterRole.
 */
export const nodeRules: readonly PolicyRule[] = [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }];
