import * as z from 'zod';
import type { ApiClient } from '../../contract/api-client.ts';
import { until } from './until.ts';

const NodeObject = z.object({
  status: z.object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]) }),
});

const timeoutMs = 300_000;

/** The tolerations of a Pod that stays on a lost node for so long. */
export function lostNodeTolerations(tolerationSeconds: number): object[] {
  return ['not-ready', 'unreachable'].map((state) => ({
    key: `node.kubernetes.io/${state}`,
    effect: 'NoExecute',
    operator: 'Exists',
    tolerationSeconds,
  }));
}

/** Waits until Kubernetes says that a node is Ready. */
export async function untilReady(api: ApiClient, node: string): Promise<void> {
  await until(`${node} is Ready`, timeoutMs, async () => {
    const { body } = await api.send(`/api/v1/nodes/${node}`);
    const conditions = NodeObject.safeParse(body).data?.status.conditions ?? [];
    return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  });
}

/**
 * Adds nodes that kwok simulates. Their Pods never run. Only Pods that tolerate the taint and select these nodes get
 * there:
 *
 *     tolerations: [{ key: kwok.x-k8s.io/node, operator: Exists }]
 *     nodeSelector: { type: kwok }
 */
export async function addKwokNodes(api: ApiClient, count: number): Promise<void> {
  const nodes = Array.from({ length: count }, (_, index) => ({ name: `kwok-${index + 1}`, ip: kwokIp(index) }));
  for (const node of nodes) await addKwokNode(api, node);
  for (const { name } of nodes) await untilReady(api, name);
}

/** A node without a kubelet. */
export interface KwokNode {
  name: string;
  /** The hostIP of its Pods; nothing listens there. */
  ip: string;
  /** Labels in addition to the common ones. */
  labels?: Readonly<Record<string, string>>;
  /** Whether kwok simulates it; if not, its Pods keep their status. @default true */
  isPlayed?: boolean;
}

/** Adds one node without a kubelet, simulated by kwok or not at all, without waiting for it. */
export async function addKwokNode(api: ApiClient, { name, ip, labels, isPlayed = true }: KwokNode): Promise<void> {
  const resources = { cpu: '1k', memory: '1Ti', 'ephemeral-storage': '1Pi', pods: '1M' };
  await create(api, '/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      annotations: isPlayed ? { 'kwok.x-k8s.io/node': 'fake' } : {},
      labels: { type: 'kwok', 'kubernetes.io/hostname': name, ...labels },
    },
    spec: { taints: [{ key: 'kwok.x-k8s.io/node', value: 'fake', effect: 'NoSchedule' }] },
    status: {
      allocatable: resources,
      capacity: resources,
      addresses: [{ type: 'InternalIP', address: ip }],
    },
  });
}

const kwokIp = (index: number): string => `10.252.${Math.floor(index / 250)}.${(index % 250) + 1}`;

/** @throws Error with the server's answer when the server refuses it */
export async function create(api: ApiClient, path: string, body: object): Promise<void> {
  const answer = await api.send(path, { method: 'POST', body });
  if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
}

const PodNames = z.object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }) })) });

/** Deletes a namespace's Pods without grace, and waits until they are gone. */
export async function emptyOfPods(api: ApiClient, namespace: string): Promise<void> {
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  await api.send(`${pods}?gracePeriodSeconds=0`, { method: 'DELETE' });
  await until(`${namespace} has no Pod`, timeoutMs, async () => {
    const { body } = await api.send(pods);
    return PodNames.parse(body).items.length === 0;
  });
}
