import type { Config } from '../../core/config/config.ts';
import { isToldByNode } from '../../core/pod/read-address.ts';
import { type AgentNamespaceLimits, agentNamespace, nodeReading } from './agent-namespace.ts';
import { type DavitIdentity, identityObjects } from './davit-identity.ts';
import type { KubernetesManifest } from './kubernetes-object.ts';
import { servicePolicy } from './service-policy.ts';

/**
 * Makes everything that one cluster of the config needs before davit can launch into it: davit's identity, the policy for
 * its Services if it makes any, and for each namespace of the profiles that go there the objects of `agentNamespace`.
 */
export function clusterObjects(
  config: Config,
  cluster: string,
  identity: DavitIdentity,
  limits?: AgentNamespaceLimits,
): KubernetesManifest[] {
  const profiles = config.profiles.filter(({ clusters }) => clusters.includes(cluster));
  const namespaces = new Set(profiles.map(({ namespace }) => namespace));
  return [
    ...identityObjects(identity),
    ...(profiles.some(({ expose }) => expose === 'nodePort') ? servicePolicy(identity) : []),
    ...[...namespaces].flatMap((namespace) =>
      agentNamespace(
        namespace,
        profiles.filter((profile) => profile.namespace === namespace),
        identity,
        limits,
      ),
    ),
    ...(profiles.some(isToldByNode) ? nodeReading(identity) : []),
  ];
}
