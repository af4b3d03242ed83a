import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApiClient, openApi } from '../../contract/api-client.ts';
import { type Cluster, componentsOf, openCluster } from './cluster.ts';
import { writeAuditPolicy } from './control-plane.ts';
import { namespace, writeCredentials } from './credentials.ts';
import { buildImages } from './images/images.ts';
import { addKwokNodes, create, untilReady } from './node-objects.ts';
import { startContainerRuntime } from './nodes/container-runtime.ts';
import { startKubelet } from './nodes/kubelet.ts';
import { startMachine } from './nodes/machine.ts';
import { makeBridge } from './nodes/network.ts';
import { startOnNode } from './nodes/processes.ts';
import { type ClusterPlan, directoryOf, type NodePlan, nodesOf } from './plan.ts';
import { buildPrograms, type Programs } from './programs/programs.ts';
import { claimNumber, ownerHere, planOf } from './registry.ts';
import { removeCluster } from './remove-cluster.ts';
import { say } from './say.ts';
import { until } from './until.ts';

/** The requested settings of a cluster. */
export interface ClusterOptions extends Partial<Omit<ClusterPlan, 'number'>> {
  name: string;
}

const timeoutMs = 120_000;
const lastLines = 5;

/**
 * Starts a Kubernetes cluster on this machine. It has one real control plane, and a real kubelet with real containers
 * on each node, in separate networks. This process owns it: when it has ended, the next run removes the cluster.
 *
 * @throws Error when it does not come up; everything is removed then
 */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const programs = await buildPrograms();
  const archives = await buildImages();
  const owner = await ownerHere();
  const plan = planOf(await claimNumber({ nodes: 1, kwokNodes: 0, nodePortRange: '30000-32767', ...options, owner }));
  try {
    await bringUp(plan, programs, archives);
    return await openCluster(programs, plan);
  } catch (cause) {
    const logs = await lastWords(plan);
    await removeCluster(plan.number);
    throw new Error(`cluster ${plan.name} did not come up. Its components' last words:\n${logs}`, { cause });
  }
}

/** The end of each component's log, which explains a failed start. */
async function lastWords(plan: ClusterPlan): Promise<string> {
  const files = (await readdir(directoryOf(plan))).filter((name) => name.endsWith('.log'));
  const ends = files.map(async (name) => {
    const lines = (await readFile(join(directoryOf(plan), name), 'utf8')).trimEnd().split('\n').slice(-lastLines);
    return `${name}\n${lines.map((line) => `  ${line}`).join('\n')}`;
  });
  return (await Promise.all(ends)).join('\n');
}

async function bringUp(plan: ClusterPlan, programs: Programs, archives: string[]): Promise<void> {
  const [first, ...others] = nodesOf(plan);
  await writeCredentials(plan);
  await writeAuditPolicy(plan);
  await makeBridge(plan);
  await startMachine(plan, first);
  say('starts the control plane');
  await startAll(plan, programs, ['etcd', 'kube-apiserver']);
  const cluster = await openCluster(programs, plan);
  using api = openApi(cluster.kubeconfig);
  await Promise.all([
    startContainerRuntime(plan, first, archives),
    until('the API server is ready', timeoutMs, async () => (await api.send('/readyz')).status === 200),
  ]);
  await startAll(plan, programs, ['kube-controller-manager', 'kube-scheduler']);
  await create(api, '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  say(`starts ${plan.nodes === 1 ? 'its node' : `its ${plan.nodes} nodes`}`);
  await joinNode(plan, programs, first, api);
  for (const node of others) {
    await startMachine(plan, node);
    await startContainerRuntime(plan, node, archives);
    await joinNode(plan, programs, node, api);
  }
  if (plan.kwokNodes > 0) {
    say(`adds ${plan.kwokNodes} nodes that kwok plays`);
    await startAll(plan, programs, ['kwok']);
    await addKwokNodes(api, plan.kwokNodes);
  }
  const account = `/api/v1/namespaces/${namespace}/serviceaccounts/default`;
  await until('Pods may be created', timeoutMs, async () => (await api.send(account)).status === 200);
}

async function startAll(plan: ClusterPlan, programs: Programs, names: readonly string[]): Promise<void> {
  const components = componentsOf(programs, plan);
  for (const name of names) {
    const placed = components.get(name);
    if (placed !== undefined) await startOnNode(plan, placed.node, placed.component);
  }
}

/** Starts a node's kubelet, waits until its Node is ready, and opens its node ports. */
async function joinNode(plan: ClusterPlan, programs: Programs, node: NodePlan, api: ApiClient): Promise<void> {
  await startKubelet(programs.kubernetes, plan, node);
  await untilReady(api, node.name);
  await startAll(plan, programs, [`${node.name}-kube-proxy`]);
}
