/** A rule of Kubernetes' RBAC: what a subject may do. */
export interface PolicyRule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
}

/**
 * davit's calls in a namespace of agents that are exposed. It makes each of these calls, and no other: it never updates
 * or patches, and it reads no Secrets, ConfigMaps or other objects.
 */
export const namespaceRules: readonly PolicyRule[] = rulesOver(['services', 'pods']);

/** davit's calls in a namespace where no profile exposes its agents: the same, without Services. */
export const unexposedRules: readonly PolicyRule[] = rulesOver(['pods']);

/** davit's calls in a namespace of agents. */
export function rulesOf({ isExposed }: { isExposed: boolean }): readonly PolicyRule[] {
  return isExposed ? namespaceRules : unexposedRules;
}

function rulesOver(launched: string[]): PolicyRule[] {
  return [
    { apiGroups: [''], resources: launched, verbs: ['create', 'get', 'list', 'watch', 'delete'] },
    // For the diagnostics of a failed launch: its Pod's Events and the end of its log.
    { apiGroups: [''], resources: ['events'], verbs: ['list'] },
    { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
  ];
}

/**
 * davit's calls for Nodes, for profiles whose `hostAddress` is only in the Node. Nodes are in no namespace, so this needs
 * a ClusterRole.
 */
export const nodeRules: readonly PolicyRule[] = [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }];
