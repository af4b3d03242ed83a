import { ipBlocksOf } from '../../core/agent/egress.ts';
import type { Profile } from '../../core/config/config.ts';
import { labelKeys } from '../../core/launch/names.ts';
import { type KubernetesManifest, setUpLabels } from './kubernetes-object.ts';

/**
 * Makes the NetworkPolicies of a namespace: its agents reach DNS and the networks that their profile names, and nothing
 * enters an agent but at the port that its profile exposes. Only a cluster whose network enforces NetworkPolicies
 * applies them.
 *
 * @see https://kubernetes.io/docs/concepts/services-networking/network-policies/
 */
export function agentNetwork(namespace: string, profiles: readonly Profile[]): KubernetesManifest[] {
  const agents = { [labelKeys.managedBy]: 'davit', [labelKeys.name]: 'davit-agent' };
  return [
    policy(namespace, 'davit-agents', {
      podSelector: { matchLabels: agents },
      policyTypes: ['Ingress', 'Egress'],
      egress: [{ to: [clusterDns], ports: [port('UDP', 53), port('TCP', 53)] }],
    }),
    // Also one that allows nothing: it replaces an earlier one, which neither kubectl apply nor helm would delete.
    ...profiles.map(({ name, expose, agentPort, egress }) => {
      const to = ipBlocksOf(egress).map((ipBlock) => ({ ipBlock }));
      const isExposed = expose === 'nodePort';
      return policy(namespace, `davit-agents-${name}`, {
        podSelector: { matchLabels: { ...agents, [labelKeys.profile]: name } },
        policyTypes: ['Ingress', 'Egress'],
        ...(to.length === 0 ? {} : { egress: [{ to }] }),
        ...(isExposed ? { ingress: [{ ports: [port('TCP', agentPort)] }] } : {}),
      });
    }),
  ];
}

const clusterDns = {
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
  podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
};

function port(protocol: 'TCP' | 'UDP', number: number) {
  return { protocol, port: number };
}

function policy(namespace: string, name: string, spec: object): KubernetesManifest {
  const metadata = { name, namespace, labels: { ...setUpLabels } };
  return { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata, spec };
}
