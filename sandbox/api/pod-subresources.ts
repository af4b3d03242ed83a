import * as z from 'zod';
import type { KubeObject } from '../cluster-store.ts';
import { kubeTime } from '../store/kube-time.ts';
import { badRequest, notFound, type Status } from '../store/status-error.ts';
import { decode } from '../store/strategy.ts';
import type { JsonAnswer } from './answer.ts';
import { toDeleteRequest } from './delete-options.ts';
import type { ObjectRequest } from './object-handlers.ts';
import { readObject } from './request-body.ts';

const Binding = z.looseObject({ target: z.looseObject({ name: z.string() }) });
const Eviction = z.looseObject({
  metadata: z.looseObject({ name: z.string().default('') }).default({ name: '' }),
  deleteOptions: z.looseObject({}).default({}),
});
const Conditions = z.array(z.looseObject({ type: z.string() })).default([]);

const created: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

function podOf({ store, route }: ObjectRequest): KubeObject {
  const { namespace, name = '' } = route;
  const pod = store.get('pods', namespace, name);
  if (pod === undefined) throw notFound('pods', name);
  return pod;
}

/** Binds a Pod to a node, for a scheduler. */
export async function bindPod(context: ObjectRequest): Promise<JsonAnswer> {
  const binding = decode(Binding, await readObject(context.request, 'Binding'), 'Binding', '');
  context.store.bind(podOf(context), binding.target.name);
  return { code: 201, body: created };
}

function withDisruptionTarget(status: Record<string, unknown>): Record<string, unknown> {
  const others = Conditions.parse(status['conditions']).filter(({ type }) => type !== 'DisruptionTarget');
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
    lastTransitionTime: kubeTime(Date.now()),
  };
  return { ...status, conditions: [...others, condition] };
}

/**
 * Evicts a Pod: sets its DisruptionTarget condition, then deletes it.
 *
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/
 */
export async function evictPod(context: ObjectRequest): Promise<JsonAnswer> {
  const { store, request } = context;
  const eviction = decode(Eviction, await readObject(request, 'Eviction'), 'Eviction', '');
  if (!['', context.route.name].includes(eviction.metadata.name)) {
    throw badRequest('name in URL does not match name in Eviction object');
  }
  const { dryRun, ...options } = toDeleteRequest(eviction.deleteOptions);
  const pod = podOf(context);
  if (!dryRun) {
    store.updateStatus('pods', pod, withDisruptionTarget);
    store.delete('pods', pod.metadata.namespace, pod.metadata.name, options);
  }
  return { code: 201, body: created };
}
