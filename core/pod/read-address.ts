import { isIPv4, isIPv6 } from 'node:net';
import { Host } from '../launch/completed-token.ts';
import type { Expose, HostAddress, LaunchPlan } from '../launch/launch-state.ts';
import type { NodeView, PodView, ServiceView } from './kubernetes-objects.ts';

/**
 * Reads the address at which clients reach a Pod: its node's (`hostIP`) behind a NodePort, otherwise its own.
 *
 * @returns undefined while the cluster has not reported one; a node's address is valid in any phase
 */
export function hostOf(pod: PodView, expose: Expose): string | undefined {
  const reported = expose === 'nodePort' ? pod.status?.hostIP : pod.status?.podIP;
  return Host.safeParse(reported).data;
}

/** How a launch is reached. */
type Reached = Pick<LaunchPlan, 'expose' | 'hostAddress'>;

/** The address at which to dial a Pod, or why its node never has the kind of address that the profile wants. */
export type HostChoice = { host: string } | { host?: never; detail: string };

/** Says whether only the Node object has a Pod's address. */
export function isToldByNode({ expose, hostAddress }: Reached): boolean {
  return expose === 'nodePort' && hostAddress in nodeTypes;
}

/**
 * Chooses the address at which to dial a Pod, of the kind that its profile wants.
 *
 * @param node the Pod's Node, if it has the address
 * @returns undefined while no address at all is reported
 */
export function chooseHost(pod: PodView, reached: Reached, node: NodeView | undefined): HostChoice | undefined {
  const { expose, hostAddress } = reached;
  if (expose === 'none' || hostAddress === 'hostIP') {
    const host = hostOf(pod, expose);
    return host === undefined ? undefined : { host };
  }
  const reported = isToldByNode(reached) ? (node?.status?.addresses ?? []) : hostIPsOf(pod);
  const offered = reported.filter(({ address }) => Host.safeParse(address).success);
  if (offered.length === 0) return undefined;
  const host = offered.find(isOfKind[hostAddress])?.address;
  const offers = offered.map(({ type, address }) => `${type} ${address}`).join(', ');
  return host === undefined
    ? { detail: `node ${pod.spec.nodeName} has no ${hostAddress}, which the profile wants; it has ${offers}` }
    : { host };
}

interface Address {
  type: string;
  address: string;
}

const nodeTypes: Partial<Record<HostAddress, string>> = { nodeInternalIP: 'InternalIP', nodeExternalIP: 'ExternalIP' };

const isOfKind: Record<Exclude<HostAddress, 'hostIP'>, (offered: Address) => boolean> = {
  hostIPv4: ({ address }) => isIPv4(address),
  hostIPv6: ({ address }) => isIPv6(address),
  nodeInternalIP: ({ type }) => type === nodeTypes.nodeInternalIP,
  nodeExternalIP: ({ type }) => type === nodeTypes.nodeExternalIP,
};

/** A node without support for IP families reports one address. */
function hostIPsOf({ status }: PodView): Address[] {
  const reported = new Set([status?.hostIP, ...(status?.hostIPs ?? []).map(({ ip }) => ip)]);
  return [...reported].filter((ip) => ip !== undefined).map((address) => ({ type: 'hostIP', address }));
}

/**
 * Says which address a bound Pod lacks: clients cannot dial a node that never reports its own address.
 *
 * @returns undefined for a Pod that has no node yet
 */
export function missingAddress(pod: PodView, reached: Reached): string | undefined {
  const { nodeName } = pod.spec;
  if (!nodeName) return undefined;
  if (reached.expose === 'none') return `node ${nodeName} reports no podIP`;
  const wanted = isToldByNode(reached) ? 'address of its own' : 'hostIP';
  return `node ${nodeName} reports no ${wanted}, which a NodePort needs`;
}

/** Reads the nodePort that was allocated for the agent's port. @returns undefined while there is none */
export function nodePortOf(service: ServiceView, agentPort: number): number | undefined {
  const allocated = service.spec.ports?.find(({ port }) => port === agentPort)?.nodePort;
  return allocated !== undefined && allocated > 0 && allocated <= 65_535 ? allocated : undefined;
}
