import * as z from 'zod';
import type { ApiClient } from '../../../contract/api-client.ts';
import { create } from '../node-objects.ts';
import { until } from '../until.ts';
import { operate } from './change-object.ts';
import { idle } from './containers.ts';

const PodObject = z.object({
  spec: z.object({ nodeName: z.string().default('') }),
  status: z.object({ phase: z.string() }),
});
const Taint = z.looseObject({ key: z.string() });
const NodeObjects = z.object({
  items: z.array(
    z.object({ metadata: z.object({ name: z.string() }), spec: z.object({ taints: z.array(Taint).default([]) }) }),
  ),
});

const namespace = 'davit-agents';
const pods = `/api/v1/namespaces/${namespace}/pods`;
const nodes = '/api/v1/nodes';
const timeoutMs = 60_000;

/** Waits until the containers of a Pod run. */
export async function untilRunning(api: ApiClient, pod: string): Promise<void> {
  await until(`${pod} runs`, timeoutMs, async () => {
    const { body } = await api.send(`${pods}/${pod}`);
    return PodObject.safeParse(body).data?.status.phase === 'Running';
  });
}

/** The name of a Pod's node. */
export async function nodeOf(api: ApiClient, pod: string): Promise<string> {
  return PodObject.parse((await api.send(`${pods}/${pod}`)).body).spec.nodeName;
}

/** Evicts a Pod, as `kubectl drain` does. */
export async function evict(api: ApiClient, pod: string): Promise<void> {
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod, namespace } };
  await create(api, `${pods}/${pod}/eviction`, body);
}

/** Evicts all Pods of a node that do not tolerate a taint. */
export async function addTaint(api: ApiClient, node: string, key: string): Promise<void> {
  const value = [{ key, effect: 'NoExecute' }];
  await operate(api, `${nodes}/${node}`, { op: 'add', path: '/spec/taints', value });
}

/** Removes a taint from all nodes. */
export async function removeTaint(api: ApiClient, key: string): Promise<void> {
  const { items } = NodeObjects.parse((await api.send(nodes)).body);
  for (const { metadata, spec } of items.filter(({ spec: { taints } }) => taints.some((taint) => taint.key === key))) {
    const value = spec.taints.filter((taint) => taint.key !== key);
    await operate(api, `${nodes}/${metadata.name}`, { op: 'add', path: '/spec/taints', value });
  }
}

/** Gives the first node one unit of a resource that no other node has. */
export async function makeRoomForOne(api: ApiClient, resource: string): Promise<void> {
  const path = `/status/capacity/${resource.replaceAll('/', '~1')}`;
  await operate(api, `${nodes}/node-1/status`, { op: 'add', path, value: '1' });
}

/** Makes the scheduler preempt a Pod that has the resource, for a Pod of higher priority that leaves again at once. */
export async function preempt(api: ApiClient, resources: object): Promise<void> {
  const metadata = { name: 'utmost' };
  await create(api, '/apis/scheduling.k8s.io/v1/priorityclasses', { metadata, value: 1000 });
  const containers = [{ name: 'utmost', ...idle, imagePullPolicy: 'Never', resources }];
  const tolerations = [{ operator: 'Exists' }];
  const spec = { priorityClassName: 'utmost', tolerations, containers };
  // The API server learns of a new class a moment later.
  await until('the class is known', timeoutMs, async () => {
    await create(api, pods, { metadata, spec });
    return true;
  });
  await untilRunning(api, 'utmost');
  await api.send(`${pods}/utmost`, { method: 'DELETE' });
}
