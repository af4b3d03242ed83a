import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isThere } from '../is-there.ts';
import type { ClusterPlan, NodePlan } from '../plan.ts';
import { until } from '../until.ts';
import { makePodCgroup } from './cgroups.ts';
import { plugIn } from './network.ts';
import { cgroupOf, startProcess } from './processes.ts';

/**
 * A node is a process that does nothing, with its own network and mount namespaces. The fixed directories of
 * containerd, the kubelet and the CNI plugins thereby belong to the node. Its networks and mounts disappear with its
 * processes.
 */
const beMachine = `
  set -e
  mount --bind "$1/lib" /var/lib
  mount --bind "$1/log" /var/log
  mount -t tmpfs tmpfs /run
  echo 1 > /proc/sys/net/ipv4/ip_forward
  : > "$1/is-up"
  exec sleep infinity
`;
const timeoutMs = 30_000;

/** Starts an empty node, and connects it to the cluster's network. */
export async function startMachine(plan: ClusterPlan, node: NodePlan): Promise<void> {
  for (const name of ['lib', 'log', 'etc']) await mkdir(join(node.directory, name), { recursive: true });
  await makePodCgroup(cgroupOf(plan, node.podCgroup));
  const isolated = ['--net', '--mount', '--propagation', 'private', 'sh', '-c', beMachine, 'sh', node.directory];
  await startProcess(plan, { name: node.machine, program: 'unshare', args: isolated });
  await until(`${node.name} is a machine`, timeoutMs, () => isThere(join(node.directory, 'is-up')));
  await plugIn(plan, node);
}
