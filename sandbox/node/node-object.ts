import { release } from 'node:os';
import * as z from 'zod';
import type { KubeObject } from '../cluster-store.ts';
import { kubernetesVersion } from '../kubernetes-version.ts';
import type { KubeDraft } from '../store/draft.ts';
import { kubeTime } from '../store/kube-time.ts';
import type { Candidate, Taint } from './scheduling.ts';

/** The properties with which a node registers. */
export interface NodeDescription {
  name: string;
  hostIP: string;
  labels: Readonly<Record<string, string>>;
  taints: readonly Taint[];
  capacity: Readonly<Record<string, string>>;
}

/** The taint of a node that the control plane no longer hears from. */
export const unreachable: Taint = { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' };

/** Makes the Node object that a kubelet registers. */
export function nodeObject(description: NodeDescription): KubeDraft {
  const { name, labels, taints } = description;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': process.platform,
        'kubernetes.io/arch': architecture(),
        ...labels,
      },
    },
    spec: taints.length === 0 ? {} : { taints },
  };
}

/** Makes a node's status: as its kubelet reports it, or as the control plane sets it for a silent node. */
export function nodeStatus(
  { name, hostIP, capacity }: NodeDescription,
  isHeardOf: boolean,
  nowEpochMs: number,
): Record<string, unknown> {
  const now = kubeTime(nowEpochMs);
  const condition = (type: string, isTrue: boolean, reason: string, message: string) => ({
    type,
    ...(isHeardOf
      ? { status: isTrue ? 'True' : 'False', reason, message }
      : { status: 'Unknown', reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' }),
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  });
  return {
    capacity,
    allocatable: capacity,
    addresses: [
      { type: 'InternalIP', address: hostIP },
      { type: 'Hostname', address: name },
    ],
    conditions: [
      condition('MemoryPressure', false, 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
      condition('DiskPressure', false, 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
      condition('PIDPressure', false, 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
      condition('Ready', true, 'KubeletReady', 'kubelet is posting ready status'),
    ],
    nodeInfo: {
      architecture: architecture(),
      operatingSystem: process.platform,
      osImage: 'davit sandbox',
      kernelVersion: release(),
      containerRuntimeVersion: `process://${process.version}`,
      kubeletVersion: kubernetesVersion,
      kubeProxyVersion: kubernetesVersion,
      machineID: '',
      systemUUID: '',
      bootID: '',
    },
    daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
  };
}

const StoredNode = z.object({
  metadata: z.object({ name: z.string(), labels: z.record(z.string(), z.string()).default({}) }),
  spec: z
    .object({
      unschedulable: z.boolean().default(false),
      taints: z.array(z.object({ key: z.string(), value: z.string().exactOptional(), effect: z.string() })).default([]),
    })
    .prefault({}),
  status: z.object({ allocatable: z.record(z.string(), z.string()).default({}) }).prefault({}),
});

/** Reads the parts of a Node that the scheduler uses. A cordoned node gets the unschedulable taint. */
export function readNode(object: KubeObject): Omit<Candidate, 'pods'> {
  const { metadata, spec, status } = StoredNode.parse(object);
  const cordon: Taint[] = spec.unschedulable ? [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] : [];
  return {
    name: metadata.name,
    labels: metadata.labels,
    taints: [...cordon, ...spec.taints],
    capacity: status.allocatable,
  };
}

/** Returns Go's name of the machine's architecture. */
function architecture(): string {
  return process.arch === 'x64' ? 'amd64' : process.arch;
}
