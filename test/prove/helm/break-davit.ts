import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Cluster } from '../cluster/cluster.ts';
import { killCgroup, processesIn } from '../cluster/nodes/cgroups.ts';
import { tagOf } from '../cluster/plan.ts';

/** Sends SIGKILL to every process of davit's container. @throws Error when there is none */
export async function killDavit(cluster: Cluster, node: string): Promise<void> {
  const pids = await processesIn(`${cgroupOf(cluster)}/${node}-pods`, { below: true });
  const words = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  const own = pids.filter((_pid, index) => words[index]?.includes('--in-cluster'));
  if (own.length === 0) throw new Error(`no process of davit runs on ${node}`);
  for (const pid of own) process.kill(pid, 'SIGKILL');
}

/** Kills everything that Kubernetes has on a node, at once. The control plane, which is on the first node, stays. */
export async function loseNode(cluster: Cluster, node: string): Promise<void> {
  const parts = ['kubelet', 'containerd', 'kube-proxy', 'pods'];
  for (const part of parts) await killCgroup(`${cgroupOf(cluster)}/${node}-${part}`);
}

/** A cluster's directory is named by its number. */
function cgroupOf({ kubeconfigPath }: Cluster): string {
  return tagOf({ number: Number(basename(dirname(kubeconfigPath))) });
}
