import type { Cluster } from '../cluster/cluster.ts';
import { agentImage } from '../cluster/images/images.ts';

/** The agents' image. Its tag lets the kubelet use it without a registry. */
export const presentImage = 'davit.dev/peers:1';

/** The agents' image for one fault: it is missing at first. */
export const lateImage = 'davit.dev/late:1';

/** Puts an image of agents onto all nodes. */
export async function addImage(cluster: Cluster, name: string): Promise<void> {
  for (const node of cluster.nodes) await images(cluster, node, 'tag', '--force', agentImage, name);
}

/** Takes an image away from all nodes. */
export async function removeImage(cluster: Cluster, name: string): Promise<void> {
  for (const node of cluster.nodes) await images(cluster, node, 'rm', name);
}

function images(cluster: Cluster, node: Cluster['nodes'][number], ...args: string[]): Promise<string> {
  return cluster.runOn(node, 'ctr', ['--namespace', 'k8s.io', 'images', ...args]);
}
