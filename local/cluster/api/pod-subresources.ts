import * as z from 'zod';
import type { KubeObject } from '../cluster-store.ts';
import { kubeTime } from '../store/kube-time.ts';
import { badRequest, notFound, type Status } from '../store/status-error.ts';
import { decode } from '../store/strategy.ts';
import type { JsonAnswer } from './answer.ts';
import { toDeleteRequest } from './delete-options.ts';
import type { ObjectRequest } from './object-handlers.ts';
import { readObject } from './request-body.ts';

const bindingSchema = z.looseObject({ target: z.looseObject({ name: z.string() }) });
const evictionSchema = z.looseObject({
  metadata: z.looseObject({ name: z.string().default('') }).default({ name: '' }),
  deleteOptions: z.looseObject({}).default({}),
});
const conditionsSchema = z.array(z.looseObject({ type: z.string() })).default([]);

const CREATED: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

const podOf = ({ store, route }: ObjectRequest): KubeObject => {
  const { namespace, name = '' } = route;
  const pod = store.get('pods', namespace, name);
  if (pod === undefined) {
    throw notFound('pods', name);
  }
  return pod;
};

/** Binds a Pod to a node: what a scheduler does. */
export const bindPod = async (context: ObjectRequest): Promise<JsonAnswer> => {
  const binding = decode(bindingSchema, await readObject(context.request, 'Binding'), 'Binding', '');
  context.store.bind(podOf(context), binding.target.name);
  return { code: 201, body: CREATED };
};

const withDisruptionTarget = (status: Record<string, unknown>): Record<string, unknown> => {
  const others = conditionsSchema.parse(status['conditions']).filter(({ type }) => type !== 'DisruptionTarget');
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
    lastTransitionTime: kubeTime(Date.now()),
  };
  return { ...status, conditions: [...others, condition] };
};

/**
 * Evicts a Pod: says so in its conditions, then deletes it.
 *
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/
 */
export const evictPod = async (context: ObjectRequest): Promise<JsonAnswer> => {
  const { store, request } = context;
  const eviction = decode(evictionSchema, await readObject(request, 'Eviction'), 'Eviction', '');
  if (!['', context.route.name].includes(eviction.metadata.name)) {
    throw badRequest('name in URL does not match name in Eviction object');
  }
  const { dryRun, ...options } = toDeleteRequest(eviction.deleteOptions);
  const pod = podOf(context);
  if (!dryRun) {
    store.updateStatus('pods', pod, withDisruptionTarget);
    store.delete('pods', pod.metadata.namespace, pod.metadata.name, options);
  }
  return { code: 201, body: CREATED };
};
