import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kubeconfigOf } from '../control-plane.ts';
import { type ClusterPlan, type NodePlan, tagOf } from '../plan.ts';
import { type Component, startOnNode } from './processes.ts';

/** The kubelet of a node. */
export function kubelet(kubernetes: string, plan: ClusterPlan, node: NodePlan): Component {
  return {
    name: `${node.name}-kubelet`,
    program: kubernetes,
    args: [
      'kubelet',
      `--kubeconfig=${kubeconfigOf(plan, node.name)}`,
      `--config=${configPathOf(node)}`,
      `--hostname-override=${node.name}`,
      `--node-ip=${node.ip}`,
    ],
  };
}

/** The kube-proxy of a node. */
export function kubeProxy(kubernetes: string, plan: ClusterPlan, node: NodePlan): Component {
  return {
    name: `${node.name}-kube-proxy`,
    program: kubernetes,
    args: [
      'kube-proxy',
      `--kubeconfig=${kubeconfigOf(plan, 'kube-proxy')}`,
      `--hostname-override=${node.name}`,
      '--proxy-mode=iptables',
      '--iptables-min-sync-period=50ms',
      `--cluster-cidr=${node.podSubnet}`,
      // These settings would change the whole machine's.
      '--conntrack-max-per-core=0',
      '--conntrack-tcp-timeout-established=0',
      '--conntrack-tcp-timeout-close-wait=0',
      '--oom-score-adj=0',
    ],
  };
}

/** Writes the kubelet's config, and starts the kubelet. */
export async function startKubelet(kubernetes: string, plan: ClusterPlan, node: NodePlan): Promise<void> {
  await writeFile(configPathOf(node), JSON.stringify(configOf(plan, node)));
  await startOnNode(plan, node, kubelet(kubernetes, plan, node));
}

const configPathOf = (node: NodePlan): string => join(node.directory, 'etc', 'kubelet.json');

/** @see https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/ */
function configOf(plan: ClusterPlan, node: NodePlan): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    // Only this machine can reach it.
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${tagOf(plan)}/${node.podCgroup}`,
    failSwapOn: false,
    resolvConf: '',
    // A test machine's disk is small, and shared with other programs.
    evictionHard: { 'nodefs.available': '100Mi', 'imagefs.available': '100Mi', 'memory.available': '100Mi' },
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    // Their defaults need rights that a container does not have.
    oomScoreAdj: 0,
    maxOpenFiles: 16_384,
    nodeLeaseDurationSeconds: 10,
    // The interval at which it checks whether a Pod fills its disk.
    volumeStatsAggPeriod: '2s',
    nodeStatusUpdateFrequency: '2s',
    serializeImagePulls: false,
    registryPullQPS: 0,
    kubeAPIQPS: 500,
    kubeAPIBurst: 1000,
    eventRecordQPS: 500,
    eventBurst: 1000,
  };
}
