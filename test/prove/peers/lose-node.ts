import type { ApiClient } from '../../contract/api-client.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { untilReady } from '../cluster/node-objects.ts';
import { killCgroup } from '../cluster/nodes/cgroups.ts';
import { cgroupOf } from '../cluster/nodes/processes.ts';
import { change } from '../cluster/outcomes/change-object.ts';
import type { ClusterPlan, NodePlan } from '../cluster/plan.ts';
import { findRecord, planOf } from '../cluster/registry.ts';
import { run } from '../cluster/run.ts';
import { until } from '../cluster/until.ts';

const timeoutMs = 60_000;

/** Lets the scheduler place Pods on a node, or not. */
export async function setSchedulable(api: ApiClient, node: NodePlan, isSchedulable: boolean): Promise<void> {
  await change(api, `/api/v1/nodes/${node.name}`, { spec: { unschedulable: !isSchedulable } });
}

/** Takes a node away as a machine that loses its power: first its network, so that no process can say good-bye. */
export async function loseNode(cluster: Cluster, node: NodePlan): Promise<void> {
  await run('ip', ['link', 'set', node.link, 'down']);
  const plan = await planOfCluster(cluster);
  await cluster.signal(`${node.name}-kubelet`, 'SIGKILL');
  for (const name of [`${node.name}-containerd`, node.podCgroup]) await killCgroup(cgroupOf(plan, name));
}

/** Brings a lost node back, and waits until it is ready. */
export async function restoreNode(cluster: Cluster, api: ApiClient, node: NodePlan): Promise<void> {
  await run('ip', ['link', 'set', node.link, 'up']);
  await cluster.start(`${node.name}-containerd`);
  // A kubelet that finds no container runtime ends.
  await until(`containerd of ${node.name} answers`, timeoutMs, () => cluster.runOn(node, 'ctr', ['version']));
  await cluster.start(`${node.name}-kubelet`);
  await untilReady(api, node.name);
}

async function planOfCluster({ name }: Cluster): Promise<ClusterPlan> {
  const record = await findRecord(name);
  if (record === undefined) throw new Error(`there is no cluster ${name}`);
  return planOf(record);
}
