import { join } from 'node:path';
import * as z from 'zod';

/**
 * A cluster's settings. The names of everything that it has derive from its number. The number is therefore enough to
 * find and remove all of it, even after its creator was killed.
 */
export const ClusterPlan = z.strictObject({
  name: z.string(),
  /** 1 to 254, unique on this machine: the cluster's network is 10.250.N.0/24. */
  number: z.int(),
  /** The number of nodes with a real kubelet: 1 to 3, because the network has room for the Pods of three. */
  nodes: z.int(),
  /** The number of nodes that kwok simulates. */
  kwokNodes: z.int(),
  /** In the form of kube-apiserver's --service-node-port-range. */
  nodePortRange: z.string(),
});
export type ClusterPlan = z.infer<typeof ClusterPlan>;

/** A node with its own kubelet. */
export interface NodePlan {
  /** Its name in Kubernetes. */
  name: string;
  ip: string;
  podSubnet: string;
  /** This machine's end of its veth pair. */
  link: string;
  directory: string;
  /** The component that holds the node's namespaces. */
  machine: string;
  /** The cgroup of its Pods, within the cluster's. */
  podCgroup: string;
}

/** The parent of all clusters' directories. It is on the disk, because container images are large. */
export const clustersDirectory = '/var/tmp/davit-clusters';

/** A cluster's directory. */
export const directoryOf = ({ number }: Pick<ClusterPlan, 'number'>): string => join(clustersDirectory, `${number}`);

/** The path of the kubeconfig with full rights. */
export const kubeconfigPathOf = (plan: Pick<ClusterPlan, 'number'>): string => join(directoryOf(plan), 'kubeconfig');

/** The name of the cluster's bridge and of its cgroup. */
export const tagOf = ({ number }: Pick<ClusterPlan, 'number'>): string => `davit-${number}`;

/** This machine's address within one cluster: Pods reach davit there. */
export const hostIpOf = ({ number }: Pick<ClusterPlan, 'number'>): string => `10.250.${number}.1`;

/** This machine's address for all clusters: Pods of several clusters reach one davit there. */
export const machineIp = '10.250.0.1';

/** A cluster's nodes. The first one also runs the control plane. */
export function nodesOf(plan: ClusterPlan): [NodePlan, ...NodePlan[]] {
  const node = (index: number): NodePlan => ({
    name: `node-${index}`,
    ip: `10.250.${plan.number}.${index + 1}`,
    podSubnet: `10.250.${plan.number}.${index * 64}/26`,
    link: `${tagOf(plan)}-${index}`,
    directory: join(directoryOf(plan), `node-${index}`),
    machine: `node-${index}`,
    podCgroup: `node-${index}-pods`,
  });
  return [node(1), ...Array.from({ length: plan.nodes - 1 }, (_, index) => node(index + 2))];
}

/** The API server's URL. */
export const apiServerOf = (plan: ClusterPlan): string => `https://${nodesOf(plan)[0].ip}:6443`;
