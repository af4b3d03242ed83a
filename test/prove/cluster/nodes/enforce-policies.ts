import * as z from 'zod';
import type { ApiClient } from '../../../contract/api-client.ts';
import type { Cluster } from '../cluster.ts';
import type { NodePlan } from '../plan.ts';

const Labels = z.record(z.string(), z.string()).default({});
const Selector = z.strictObject({ matchLabels: Labels });
const Peer = z.strictObject({
  ipBlock: z.strictObject({ cidr: z.string(), except: z.array(z.string()).default([]) }).optional(),
  namespaceSelector: Selector.optional(),
  podSelector: Selector.optional(),
});
type Peer = z.infer<typeof Peer>;
const Ports = z.array(z.strictObject({ protocol: z.string(), port: z.int() })).optional();
const Policy = z.object({
  spec: z.strictObject({
    podSelector: Selector,
    policyTypes: z.array(z.enum(['Ingress', 'Egress'])),
    ingress: z.array(z.strictObject({ from: z.array(Peer).optional(), ports: Ports })).default([]),
    egress: z.array(z.strictObject({ to: z.array(Peer).optional(), ports: Ports })).default([]),
  }),
});
const Pod = z.object({
  metadata: z.object({ namespace: z.string(), labels: Labels }),
  status: z.object({ podIP: z.string().optional() }),
});
type Pod = z.infer<typeof Pod>;
type Direction = 'Egress' | 'Ingress';

const chain = 'DAVIT-POLICIES';
/** A packet's marks: its sender may send it, its receiver may receive it. */
const marks = { Egress: '0x100/0x100', Ingress: '0x200/0x200' } as const;
/** The mark of a packet to or from the block of addresses at hand, and none that the block excepts. */
const inBlock = '0x400/0x400';

/**
 * Enforces the NetworkPolicies of a namespace on every node, for the Pods that exist now, as the API server has them. The
 * nodes have no network plugin that does, and none can be built here. The rules see packets between Pods, also of one
 * node, and from Pods to their node. IPv4 only, as the cluster; replies pass.
 *
 * @see https://kubernetes.io/docs/concepts/services-networking/network-policies/
 */
export async function enforcePolicies(cluster: Cluster, api: ApiClient, namespace: string): Promise<void> {
  const policies = await listed(api, `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies`, Policy);
  const pods = await listed(api, '/api/v1/pods', Pod);
  const rules = (['Egress', 'Ingress'] as const).flatMap((direction) => rulesOf(direction, policies, pods, namespace));
  for (const node of cluster.nodes) await apply(cluster, node, rules);
}

/** Ends the enforcement. */
export async function dropPolicies(cluster: Cluster): Promise<void> {
  for (const node of cluster.nodes) await apply(cluster, node, []);
}

async function apply(cluster: Cluster, node: NodePlan, rules: readonly string[][]): Promise<void> {
  const script = [
    // Else packets between two Pods of one node would pass the bridge alone.
    'echo 1 >/proc/sys/net/bridge/bridge-nf-call-iptables',
    `iptables -N ${chain} 2>/dev/null || iptables -F ${chain}`,
    ...['INPUT', 'FORWARD'].map(
      (from) => `iptables -C ${from} -j ${chain} 2>/dev/null || iptables -I ${from} 1 -j ${chain}`,
    ),
    `iptables -A ${chain} -m conntrack --ctstate ESTABLISHED,RELATED -j RETURN`,
    `iptables -A ${chain} -j MARK --set-xmark 0x0/0x700`,
    ...rules.map((rule) => `iptables -A ${chain} ${rule.join(' ')}`),
  ];
  await cluster.runOn(node, 'sh', ['-ec', script.join('\n')]);
}

function rulesOf(
  direction: Direction,
  policies: readonly z.infer<typeof Policy>[],
  pods: readonly Pod[],
  namespace: string,
): string[][] {
  const [ownSide, otherSide] = direction === 'Egress' ? ['-s', '-d'] : ['-d', '-s'];
  return pods.flatMap(({ metadata, status }) => {
    const { podIP } = status;
    const selecting = policies.filter(
      ({ spec }) => spec.policyTypes.includes(direction) && has(metadata.labels, spec.podSelector.matchLabels),
    );
    if (podIP === undefined || metadata.namespace !== namespace || selecting.length === 0) return [];
    const own = [ownSide, podIP];
    const allowed = selecting.flatMap(({ spec }) =>
      direction === 'Egress'
        ? spec.egress.map(({ to, ports }) => ({ peers: to, ports }))
        : spec.ingress.map(({ from, ports }) => ({ peers: from, ports })),
    );
    const marking = allowed.flatMap(({ peers, ports }) =>
      addressesOf(peers, pods, namespace).flatMap(({ cidr, except }) =>
        portsOf(ports).flatMap((port) => [
          [...own, otherSide, cidr, ...port, ...setMark(inBlock)],
          ...except.map((one) => [...own, otherSide, one, ...port, ...setMark(off(inBlock))]),
          [...own, '-m', 'mark', '--mark', inBlock, ...setMark(marks[direction])],
          [...own, ...setMark(off(inBlock))],
        ]),
      ),
    );
    return [...marking, [...own, '-m', 'mark', '!', '--mark', marks[direction], '-j', 'REJECT']];
  });
}

function setMark(mark: string): string[] {
  return ['-j', 'MARK', '--set-xmark', mark];
}

function off(mark: string): string {
  return mark.replace(/^\w+/, '0x0');
}

function addressesOf(peers: readonly Peer[] | undefined, pods: readonly Pod[], namespace: string) {
  if (peers === undefined) return [{ cidr: '0.0.0.0/0', except: [] }];
  return peers.flatMap(({ ipBlock, namespaceSelector, podSelector }) => {
    if (ipBlock !== undefined) return ipBlock.cidr.includes(':') ? [] : [ipBlock];
    return pods
      .filter(({ metadata }) =>
        namespaceSelector === undefined
          ? metadata.namespace === namespace
          : has({ 'kubernetes.io/metadata.name': metadata.namespace }, namespaceSelector.matchLabels),
      )
      .filter(({ metadata }) => has(metadata.labels, podSelector?.matchLabels ?? {}))
      .flatMap(({ status }) => (status.podIP === undefined ? [] : [{ cidr: status.podIP, except: [] }]));
  });
}

function portsOf(ports: z.infer<typeof Ports>): string[][] {
  return ports === undefined
    ? [[]]
    : ports.map(({ protocol, port }) => ['-p', protocol.toLowerCase(), '--dport', `${port}`]);
}

function has(labels: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}

async function listed<Item>(api: ApiClient, path: string, schema: z.ZodType<Item>): Promise<Item[]> {
  return z.object({ items: z.array(schema) }).parse((await api.send(path)).body).items;
}
