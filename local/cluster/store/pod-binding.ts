import * as z from 'zod';
import type { KubeObject } from '../cluster-store.ts';
import { kubeTime } from './kube-time.ts';
import { conflict } from './status-error.ts';

const conditionsSchema = z.array(z.looseObject({ type: z.string() })).default([]);

/**
 * A Pod as the scheduler's Binding leaves it.
 *
 * @throws StatusError Conflict (409) if the Pod is bound or being deleted.
 */
export const boundPod = (pod: KubeObject, nodeName: string, nowEpochMs: number): KubeObject => {
  const { name, deletionTimestamp } = pod.metadata;
  const present = pod.spec?.['nodeName'];
  if (deletionTimestamp !== undefined) {
    throw conflict('pods/binding', name, `pod ${name} is being deleted, cannot be assigned to a host`);
  }
  if (typeof present === 'string') {
    throw conflict('pods/binding', name, `pod ${name} is already assigned to node "${present}"`);
  }
  const conditions = conditionsSchema.parse(pod.status?.['conditions']).filter(({ type }) => type !== 'PodScheduled');
  const scheduled = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: kubeTime(nowEpochMs),
  };
  return {
    ...pod,
    spec: { ...pod.spec, nodeName },
    status: { ...pod.status, conditions: [...conditions, scheduled] },
  };
};
