import * as z from 'zod';
import type { AgentNamespaceLimits, PodSecurityLevel } from '../../cdk/rbac/agent-namespace.ts';
import type { DavitIdentity } from '../../cdk/rbac/davit-identity.ts';
import type { ClusterConfig, Config } from '../../core/config/config.ts';
import { Quantity } from '../../core/pod/quantity.ts';
import { present } from '../../core/present.ts';
import { ArgumentError, readArguments } from '../../local/read-arguments.ts';

export { ArgumentError as RbacArgumentError };

/** The options of `davit rbac`. */
export interface RbacArguments {
  config: string;
  cluster: string | undefined;
  /** davit's identity in the cluster; undefined for the usual one. */
  identity: DavitIdentity | undefined;
  limits: AgentNamespaceLimits;
}

/** The text of `--help`. */
export const rbacHelp = `davit rbac [options] | kubectl apply --server-side -f -

Prints what a cluster needs before davit can launch into it: for each namespace that a profile of the config names, the
Namespace with a Pod Security level, a quota, a bound for each container's disk, NetworkPolicies that let an agent reach DNS
and what its profile's egress names, and a Role with exactly what davit does there, bound to davit. Where a profile exposes
its agents, also a policy that refuses each Service of davit's that is not the NodePort of an agent (Kubernetes 1.30 or later).

  --config FILE            (default davit.yaml)
  --cluster NAME           which cluster of the config (needed when there are several)
  --user NAME              davit is a user, by a client certificate or an identity provider
  --group NAME             davit is every member of a group
                           (default: on EKS the group davit, which access entries name; elsewhere the ServiceAccount
                           davit in davit-system, which is printed too, with a token)
  --pod-security LEVEL     privileged, baseline or restricted (default baseline), of every namespace
  --pod-security NAMESPACE=LEVEL
                           the level of one namespace; give it once for each
  --max-agents N           how many agents a namespace holds at once; more wait (default 100)
  --max-storage SIZE       how much of a node's disk a container may use (default 10Gi)
  --help                   this text`;

const Values = z.object({
  config: z.string().min(1).default('davit.yaml'),
  cluster: z.string().min(1).optional(),
  user: z.string().min(1).optional(),
  group: z.string().min(1).optional(),
  'pod-security': z.array(z.string()).default([]),
  'max-agents': z.coerce.number().int().min(1).optional(),
  'max-storage': z.optional(Quantity),
});

/**
 * Reads the command line.
 *
 * @returns 'help' for --help
 * @throws ArgumentError naming each argument that is wrong
 */
export function readRbacArguments(args: string[]): RbacArguments | 'help' {
  const read = readArguments(args, Values, { short: 'h' });
  if (read === 'help') return read;
  const {
    config,
    cluster,
    user,
    group,
    'pod-security': podSecurity,
    'max-agents': maxAgents,
    'max-storage': maxStorage,
  } = read;
  const identities: DavitIdentity[] = [
    ...(user === undefined ? [] : [{ kind: 'User' as const, name: user }]),
    ...(group === undefined ? [] : [{ kind: 'Group' as const, name: group }]),
  ];
  if (identities.length > 1) throw new ArgumentError('expected --user or --group, found both');
  return {
    config,
    cluster,
    identity: identities[0],
    limits: {
      ...podSecurityOf(podSecurity),
      ...present({ maxAgents, maxStorage }),
    },
  };
}

const levels: readonly PodSecurityLevel[] = ['privileged', 'baseline', 'restricted'];

/** Reads the Pod Security level of every namespace, and those of single ones. */
function podSecurityOf(given: readonly string[]): Pick<AgentNamespaceLimits, 'podSecurity' | 'podSecurityOf'> {
  const pairs = given.map((text) => [text.slice(0, Math.max(0, text.indexOf('='))), levelOf(text)] as const);
  const ofAll = pairs.filter(([namespace]) => namespace === '').at(-1)?.[1];
  const ofOne = pairs.filter(([namespace]) => namespace !== '');
  return {
    ...(ofAll === undefined ? {} : { podSecurity: ofAll }),
    ...(ofOne.length === 0 ? {} : { podSecurityOf: Object.fromEntries(ofOne) }),
  };
}

function levelOf(text: string): PodSecurityLevel {
  const found = levels.find((level) => level === text.slice(text.indexOf('=') + 1));
  if (found !== undefined && !text.startsWith('=')) return found;
  throw new ArgumentError(
    `--pod-security: expected LEVEL or NAMESPACE=LEVEL, with a level of ${levels.join(', ')}, found ${text}`,
  );
}

/** Checks that the namespaces with a level of their own are those of profiles. @throws ArgumentError for another */
export function checkNamespaces({ profiles }: Config, { podSecurityOf: levelsOf = {} }: AgentNamespaceLimits): void {
  const known = new Set(profiles.map(({ namespace }) => namespace));
  const unknown = Object.keys(levelsOf).filter((namespace) => !known.has(namespace));
  if (unknown.length === 0) return;
  throw new ArgumentError(
    `--pod-security: expected a namespace of a profile (${[...known].join(', ')}), found ${unknown.join(', ')}`,
  );
}

/**
 * Finds the requested cluster.
 *
 * @throws ArgumentError when no cluster has that name, or there are several and no name is given
 */
export function clusterOf({ clusters }: Config, name: string | undefined): ClusterConfig {
  const names = clusters.map((cluster) => cluster.name).join(', ');
  const [first, ...others] = clusters;
  const found = name === undefined ? first : clusters.find((cluster) => cluster.name === name);
  if (found === undefined) throw new ArgumentError(`--cluster: expected one of ${names}, found ${name}`);
  if (name === undefined && others.length > 0) throw new ArgumentError(`--cluster: expected one of ${names}`);
  return found;
}
