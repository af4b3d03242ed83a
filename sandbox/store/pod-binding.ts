import * as z from 'zod';
import type { KubeObject } from '../cluster-store.ts';
import { kubeTime } from './kube-time.ts';
import { conflict } from './status-error.ts';

const Conditions = z.array(z.looseObject({ type: z.string() })).default([]);

/**
 * Binds a Pod to a node, as the scheduler's Binding does.
 *
 * @throws StatusError Conflict (409) if the Pod is already bound or is being deleted.
 */
export function boundPod(pod: KubeObject, nodeName: string, nowEpochMs: number): KubeObject {
  const { name, deletionTimestamp } = pod.metadata;
  const present = pod.spec?.['nodeName'];
  if (deletionTimestamp !== undefined) {
    throw conflict('pods/binding', name, `pod ${name} is being deleted, cannot be assigned to a host`);
  }
  if (typeof present === 'string') {
    throw conflict('pods/binding', name, `pod ${name} is already assigned to node "${present}"`);
  }
  const conditions = Conditions.parse(pod.status?.['conditions']).filter(({ type }) => type !== 'PodScheduled');
  const scheduled = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: kubeTime(nowEpochMs),
  };
  return { ...pod, spec: { ...pod.spec, nodeName }, status: { ...pod.status, conditions: [...conditions, scheduled] } };
}
