import { Host } from './completed-token.ts';
import type { PodView, ServiceView } from './kubernetes-objects.ts';
import type { Expose } from './launch-state.ts';

/**
 * Reads the address at which a Pod is reached: its node's (`hostIP`) behind a NodePort, its own otherwise.
 *
 * @returns undefined while the cluster has not reported one; a node's address is good in any phase
 */
export function hostOf(pod: PodView, expose: Expose): string | undefined {
  const reported = expose === 'nodePort' ? pod.status?.hostIP : pod.status?.podIP;
  return Host.safeParse(reported).data;
}

/**
 * Says which address a Pod lacks although it is bound to a node: a node that never reports its own cannot be dialled.
 *
 * @returns undefined for a Pod that has its address, or no node yet
 */
export function missingAddress(pod: PodView, expose: Expose): string | undefined {
  const { nodeName } = pod.spec;
  if (!nodeName || hostOf(pod, expose) !== undefined) return undefined;
  return expose === 'nodePort'
    ? `node ${nodeName} reports no hostIP, which a NodePort needs`
    : `node ${nodeName} reports no podIP`;
}

/**
 * Reads the nodePort that was allocated for the agent's port.
 *
 * @returns undefined while there is none
 */
export function nodePortOf(service: ServiceView, agentPort: number): number | undefined {
  const allocated = service.spec.ports?.find(({ port }) => port === agentPort)?.nodePort;
  return allocated !== undefined && allocated > 0 && allocated <= 65_535 ? allocated : undefined;
}
