import { join } from 'node:path';

/**
 * What a cluster is. Everything that it has is named after its number, so that it can be found and removed with nothing
 * but that, whatever happened to whoever made it.
 */
export interface ClusterPlan {
  name: string;
  /** 1 to 254: its network is 10.250.N.0/24. No two clusters of a machine have the same. */
  number: number;
  /** How many nodes have a real kubelet: 1 to 3, as the network has room for the Pods of three. */
  nodes: number;
  /** How many nodes are only played, by kwok. */
  kwokNodes: number;
  /** As kube-apiserver's --service-node-port-range. */
  nodePortRange: string;
}

/** One node with a kubelet of its own. */
export interface NodePlan {
  /** What Kubernetes calls it. */
  name: string;
  ip: string;
  podSubnet: string;
  /** The end of its cable that is on this machine. */
  link: string;
  /** What it has on the disk. */
  directory: string;
  /** The component whose namespaces are the node's. */
  machine: string;
  /** The part of the cluster's cgroup that its Pods are in. */
  podCgroup: string;
}

/** Under this are all clusters' directories; on the disk, as container images are large. */
export const clustersDirectory = '/var/tmp/davit-clusters';

/** What a cluster has on the disk. */
export const directoryOf = ({ number }: Pick<ClusterPlan, 'number'>): string => join(clustersDirectory, `${number}`);

/** For whoever talks to the cluster: full rights. */
export const kubeconfigPathOf = (plan: Pick<ClusterPlan, 'number'>): string => join(directoryOf(plan), 'kubeconfig');

/** The bridge on this machine that all nodes are plugged into, and the cgroup of everything that runs. */
export const tagOf = ({ number }: Pick<ClusterPlan, 'number'>): string => `davit-${number}`;

/** This machine, as the cluster sees it: where Pods reach davit. */
export const hostIpOf = ({ number }: Pick<ClusterPlan, 'number'>): string => `10.250.${number}.1`;

/** The node that also has the control plane comes first. */
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

/** Where the API server listens. */
export const apiServerOf = (plan: ClusterPlan): string => `https://${nodesOf(plan)[0].ip}:6443`;
