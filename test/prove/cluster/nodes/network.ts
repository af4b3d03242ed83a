import { type ClusterPlan, hostIpOf, machineIp, type NodePlan, nodesOf, tagOf } from '../plan.ts';
import { run } from '../run.ts';
import { until } from '../until.ts';
import { enterNode } from './processes.ts';

const timeoutMs = 10_000;

/**
 * A cluster's network: a bridge on this machine, and a veth pair from it to each node. Nodes have no default route:
 * their processes reach only this machine and the cluster.
 */
export async function makeBridge(plan: ClusterPlan): Promise<void> {
  const bridge = tagOf(plan);
  await run('ip', ['link', 'add', bridge, 'type', 'bridge']);
  await run('ip', ['address', 'add', `${hostIpOf(plan)}/24`, 'dev', bridge]);
  // All clusters' bridges share this address, so it stays until the last of them goes.
  await run('ip', ['address', 'add', `${machineIp}/32`, 'dev', bridge]);
  await run('ip', ['link', 'set', bridge, 'up']);
  // Makes Pods reachable from here: their addresses are behind their node's.
  for (const { podSubnet, ip } of nodesOf(plan)) await run('ip', ['route', 'add', podSubnet, 'via', ip, 'dev', bridge]);
}

/** Connects a running node. */
export async function plugIn(plan: ClusterPlan, node: NodePlan): Promise<void> {
  const enter = await enterNode(plan, node);
  const inNode = (...args: string[]) => run('nsenter', [...enter, 'ip', ...args]);
  const pid = enter[1] ?? '';
  await run('ip', ['link', 'add', node.link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', pid]);
  await run('ip', ['link', 'set', node.link, 'master', tagOf(plan), 'up']);
  await inNode('address', 'add', `${node.ip}/24`, 'dev', 'eth0');
  await inNode('link', 'set', 'eth0', 'up');
  await inNode('link', 'set', 'lo', 'up');
  await inNode('route', 'add', machineIp, 'via', hostIpOf(plan));
  for (const other of nodesOf(plan)) {
    if (other.name !== node.name) await inNode('route', 'add', other.podSubnet, 'via', other.ip);
  }
}

/** Removes the bridge and the remaining veth ends. The kernel removes the other ends some time after their nodes. */
export async function removeNetwork(plan: Pick<ClusterPlan, 'number'>): Promise<void> {
  const bridge = tagOf(plan);
  await until(`there is no link ${bridge}`, timeoutMs, async () => {
    const links = await run('ip', ['-brief', 'link', 'show']);
    const names = links.split('\n').map((line) => line.split(/[@\s]/)[0] ?? '');
    const ours = names.filter((each) => each === bridge || each.startsWith(`${bridge}-`));
    for (const name of ours) await run('ip', ['link', 'delete', name]);
    return ours.length === 0;
  });
}
