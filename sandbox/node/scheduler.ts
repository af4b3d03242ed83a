import type { KubeObject } from '../cluster-store.ts';
import { kubeTime } from '../store/kube-time.ts';
import { batch } from './batch.ts';
import { mergeConditions } from './conditions.ts';
import { EventRecorder } from './event-recorder.ts';
import { readNode } from './node-object.ts';
import type { NodeStore } from './node-store.ts';
import { type Pod, readPod } from './pod.ts';
import { readConditions } from './pod-status.ts';
import { type Candidate, type SchedulingDecision, schedule } from './scheduling.ts';

/** Binds Pods without a node to one, and reports why a Pod fits on none. Runs until it is stopped. */
export function startScheduler(store: NodeStore, nowEpochMs: () => number): { stop(): void } {
  const waiting = new Map<string, KubeObject>();
  const bound = new Map<string, Pod>();
  const see = (object: KubeObject) => {
    const { uid } = object.metadata;
    if (isWaiting(object)) waiting.set(uid, object);
    else waiting.delete(uid);
    if (!isBound(object)) bound.delete(uid);
    // A bound Pod's requests never change, so one read is enough.
    else if (!bound.has(uid)) {
      const { pod } = readPod(object);
      if (pod !== undefined) bound.set(uid, pod);
    }
  };
  for (const object of store.list('pods')) see(object);
  const events = new EventRecorder(store, { component: 'default-scheduler' }, nowEpochMs);

  const place = (object: KubeObject) => {
    const decision = decide(object, () => candidates(store, bound.values()));
    if (decision.kind === 'bind') {
      const { name, namespace } = object.metadata;
      const message = `Successfully assigned ${namespace}/${name} to ${decision.nodeName}`;
      store.bind(object, decision.nodeName);
      events.record(object, { type: 'Normal', reason: 'Scheduled', message });
      return;
    }
    const { reason, message } = decision;
    const before = readConditions(object.status ?? {}).find(({ type }) => type === 'PodScheduled');
    if (before?.reason === reason && before.message === message) return;
    const verdict = { type: 'PodScheduled', status: 'False', reason, message } as const;
    store.updateStatus('pods', object, (status) => ({
      ...status,
      conditions: mergeConditions(readConditions(status), [verdict], kubeTime(nowEpochMs())),
    }));
    if (reason !== 'SchedulingGated') events.record(object, { type: 'Warning', reason: 'FailedScheduling', message });
  };

  const round = batch(() => {
    for (const object of waiting.values()) place(object);
  });
  const unsubscribers = [
    store.subscribe('nodes', round.request),
    store.subscribe('pods', ({ type, object }) => {
      if (type === 'DELETED') {
        const { uid } = object.metadata;
        events.forget(uid);
        waiting.delete(uid);
        bound.delete(uid);
      } else {
        see(object);
      }
      round.request();
    }),
  ];
  round.request();
  return {
    stop() {
      round.stop();
      for (const unsubscribe of unsubscribers) unsubscribe();
    },
  };
}

function isWaiting(pod: KubeObject): boolean {
  const { nodeName, schedulerName } = pod.spec ?? {};
  const isOurs = schedulerName === undefined || schedulerName === 'default-scheduler';
  return isOurs && nodeName === undefined && pod.metadata.deletionTimestamp === undefined && !isOver(pod);
}

function isOver(pod: KubeObject): boolean {
  return ['Succeeded', 'Failed'].includes(String(pod.status?.['phase']));
}

function isBound(pod: KubeObject): boolean {
  return pod.spec?.['nodeName'] !== undefined && !isOver(pod);
}

function decide(object: KubeObject, nodes: () => readonly Candidate[]): SchedulingDecision {
  const { pod, flaw } = readPod(object);
  return pod === undefined ? { kind: 'wait', reason: 'SchedulerError', message: flaw } : schedule(pod, nodes());
}

function candidates(store: NodeStore, bound: Iterable<Pod>): Candidate[] {
  const pods = [...bound];
  return store
    .list('nodes')
    .map(readNode)
    .map((node) => ({ ...node, pods: pods.filter((pod) => pod.spec.nodeName === node.name) }));
}
