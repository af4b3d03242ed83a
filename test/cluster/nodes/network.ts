import { type ClusterPlan, hostIpOf, type NodePlan, nodesOf, tagOf } from '../plan.ts';
import { run } from '../run.ts';
import { until } from '../until.ts';
import { enterNode } from './processes.ts';

const timeoutMs = 10_000;

/**
 * The network of a cluster: a bridge on this machine, and a cable from it to each node. Nodes have no default route:
 * nothing that runs there reaches anything but this machine and the cluster.
 */
export async function makeBridge(plan: ClusterPlan): Promise<void> {
  const bridge = tagOf(plan);
  await run('ip', ['link', 'add', bridge, 'type', 'bridge']);
  await run('ip', ['address', 'add', `${hostIpOf(plan)}/24`, 'dev', bridge]);
  await run('ip', ['link', 'set', bridge, 'up']);
  // So that Pods are reached from here: their addresses are behind their node's.
  for (const { podSubnet, ip } of nodesOf(plan)) await run('ip', ['route', 'add', podSubnet, 'via', ip, 'dev', bridge]);
}

/** Plugs a running node in. */
export async function plugIn(plan: ClusterPlan, node: NodePlan): Promise<void> {
  const enter = await enterNode(plan, node);
  const inNode = (...args: string[]) => run('nsenter', [...enter, 'ip', ...args]);
  const pid = enter[1] ?? '';
  await run('ip', ['link', 'add', node.link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', pid]);
  await run('ip', ['link', 'set', node.link, 'master', tagOf(plan), 'up']);
  await inNode('address', 'add', `${node.ip}/24`, 'dev', 'eth0');
  await inNode('link', 'set', 'eth0', 'up');
  await inNode('link', 'set', 'lo', 'up');
  for (const other of nodesOf(plan)) {
    if (other.name !== node.name) await inNode('route', 'add', other.podSubnet, 'via', other.ip);
  }
}

/** Takes the bridge away, and what is left of the cables: their other ends go with the nodes, when the kernel likes. */
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
