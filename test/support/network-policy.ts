import { BlockList, isIPv6 } from 'node:net';
import * as z from 'zod';

/** A Pod, or an address outside of the cluster. */
interface Peer {
  ip?: string;
  namespace?: string;
  labels?: Readonly<Record<string, string>>;
}

/** A packet from or to a Pod. */
export interface Packet {
  direction: 'Ingress' | 'Egress';
  pod: Required<Pick<Peer, 'namespace' | 'labels'>>;
  peer: Peer;
  port: number;
  protocol: string;
}

const Selector = z.strictObject({ matchLabels: z.record(z.string(), z.string()).default({}) });
const PolicyPeer = z.strictObject({
  ipBlock: z.strictObject({ cidr: z.string(), except: z.array(z.string()).default([]) }).optional(),
  namespaceSelector: Selector.optional(),
  podSelector: Selector.optional(),
});
type PolicyPeer = z.infer<typeof PolicyPeer>;
const ports = z.array(z.strictObject({ protocol: z.string(), port: z.number() })).optional();
const NetworkPolicy = z.object({
  metadata: z.object({ namespace: z.string() }),
  spec: z.strictObject({
    podSelector: Selector,
    policyTypes: z.array(z.enum(['Ingress', 'Egress'])),
    ingress: z.array(z.strictObject({ from: z.array(PolicyPeer).optional(), ports })).default([]),
    egress: z.array(z.strictObject({ to: z.array(PolicyPeer).optional(), ports })).default([]),
  }),
});

/**
 * Says whether NetworkPolicies let a packet through, as Kubernetes defines them: a Pod that any policy selects in a
 * direction has only what the policies together allow; an absent list of peers or ports means all.
 *
 * @see https://kubernetes.io/docs/concepts/services-networking/network-policies/
 */
export function allows(policies: readonly unknown[], packet: Packet): boolean {
  const { pod, direction, port, protocol } = packet;
  const selecting = policies
    .map((policy) => NetworkPolicy.parse(policy))
    .filter(
      ({ metadata, spec }) =>
        metadata.namespace === pod.namespace &&
        spec.policyTypes.includes(direction) &&
        has(pod.labels, spec.podSelector.matchLabels),
    );
  if (selecting.length === 0) return true;
  const rules = selecting.flatMap(({ spec }) =>
    direction === 'Ingress'
      ? spec.ingress.map(({ from, ports: through }) => ({ peers: from, through }))
      : spec.egress.map(({ to, ports: through }) => ({ peers: to, through })),
  );
  return rules.some(
    ({ peers, through }) =>
      (peers === undefined || peers.some((each) => isPeer(each, packet))) &&
      (through === undefined || through.some((each) => each.port === port && each.protocol === protocol)),
  );
}

function isPeer({ ipBlock, namespaceSelector, podSelector }: PolicyPeer, { pod, peer }: Packet): boolean {
  if (ipBlock !== undefined) {
    const { ip } = peer;
    return ip !== undefined && isIn(ipBlock.cidr, ip) && !ipBlock.except.some((cidr) => isIn(cidr, ip));
  }
  if (peer.labels === undefined) return false;
  const isInNamespace =
    namespaceSelector === undefined
      ? peer.namespace === pod.namespace
      : has({ 'kubernetes.io/metadata.name': peer.namespace ?? '' }, namespaceSelector.matchLabels);
  return isInNamespace && has(peer.labels, podSelector?.matchLabels ?? {});
}

function has(labels: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}

function isIn(cidr: string, ip: string): boolean {
  const [network = '', bits = ''] = cidr.split('/');
  if (isIPv6(network) !== isIPv6(ip)) return false;
  const family = isIPv6(ip) ? 'ipv6' : 'ipv4';
  const block = new BlockList();
  block.addSubnet(network, Number(bits), family);
  return block.check(ip, family);
}
