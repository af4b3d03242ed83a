import { readFile } from 'node:fs/promises';
import { auditLogPathOf, controlPlane, controlPlaneNames, kwok } from './control-plane.ts';
import { containerd } from './nodes/container-runtime.ts';
import { kubelet, kubeProxy } from './nodes/kubelet.ts';
import { type Component, enterNode, pidsOf, signalComponent, startOnNode } from './nodes/processes.ts';
import { processorMs } from './nodes/processor-time.ts';
import { apiServerOf, type ClusterPlan, hostIpOf, kubeconfigPathOf, type NodePlan, nodesOf } from './plan.ts';
import type { Programs } from './programs/programs.ts';
import { run } from './run.ts';

/** A running cluster. */
export interface Cluster {
  name: string;
  /** A kubeconfig with full rights. */
  kubeconfig: string;
  kubeconfigPath: string;
  apiUrl: string;
  /** This machine's address for Pods: davit and a CI server listen there. */
  hostIp: string;
  nodes: readonly NodePlan[];
  /** The path of the audit log. It gets each request when it is over. */
  auditLogPath: string;
  /**
   * Sends a signal to a component's own process, not to its children. With SIGKILL, resolves when the process is gone.
   *
   * @param component etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kwok; NODE-containerd,
   * NODE-kubelet, NODE-kube-proxy, for example node-1-kubelet
   * @throws Error when there is no component of this name, or it does not run
   */
  signal(component: string, signal: NodeJS.Signals): Promise<void>;
  /** Restarts a killed component with the same arguments. */
  start(component: string): Promise<void>;
  running(): Promise<Record<string, boolean>>;
  /** Runs a program with a node's network and mounts, to its end. @returns its output @throws Error when it fails */
  runOn(node: NodePlan, program: string, args: readonly string[]): Promise<string>;
  /** The processor time of all components, in milliseconds, without that of Pods. */
  processorMs(): Promise<number>;
}

interface Placed {
  component: Component;
  node: NodePlan;
}

/** All components of a cluster, in start order. */
export function componentsOf({ kubernetes, kwok: kwokProgram }: Programs, plan: ClusterPlan): Map<string, Placed> {
  const nodes = nodesOf(plan);
  const [node] = nodes;
  const placed: Placed[] = [
    ...controlPlaneNames.map((name) => ({ component: controlPlane(kubernetes, plan, name), node })),
    ...nodes.flatMap((each) =>
      [containerd(each), kubelet(kubernetes, plan, each), kubeProxy(kubernetes, plan, each)].map((component) => ({
        component,
        node: each,
      })),
    ),
    ...(plan.kwokNodes === 0 ? [] : [{ component: kwok(kwokProgram, plan), node }]),
  ];
  return new Map(placed.map((each) => [each.component.name, each]));
}

/** Opens a running cluster, whichever process started it. */
export async function openCluster(programs: Programs, plan: ClusterPlan): Promise<Cluster> {
  const components = componentsOf(programs, plan);
  const placedOf = (name: string): Placed => {
    const placed = components.get(name);
    if (placed === undefined) throw new Error(`${name} is none of ${[...components.keys()].join(', ')}`);
    return placed;
  };
  return {
    name: plan.name,
    kubeconfig: await readFile(kubeconfigPathOf(plan), 'utf8'),
    kubeconfigPath: kubeconfigPathOf(plan),
    apiUrl: apiServerOf(plan),
    hostIp: hostIpOf(plan),
    nodes: nodesOf(plan),
    auditLogPath: auditLogPathOf(plan),
    signal: (name, signal) => signalComponent(plan, placedOf(name).component, signal),
    start: (name) => startOnNode(plan, placedOf(name).node, placedOf(name).component),
    running: async () => {
      const names = [...components.keys()];
      const runs = await Promise.all(names.map(async (name) => (await pidsOf(plan, name)).length > 0));
      return Object.fromEntries(names.map((name, index) => [name, runs[index] === true]));
    },
    runOn: async (node, program, args) => run('nsenter', [...(await enterNode(plan, node)), program, ...args]),
    processorMs: async () => {
      const pids = await Promise.all([...components.keys()].map((name) => pidsOf(plan, name)));
      const used = await Promise.all(pids.flat().map(processorMs));
      return used.reduce((sum, each) => sum + each, 0);
    },
  };
}
