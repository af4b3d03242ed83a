import type { KubeObject } from '../cluster-store.ts';
import { kubeTime } from '../store/kube-time.ts';
import { batch } from './batch.ts';
import { mergeConditions } from './conditions.ts';
import { EventRecorder } from './event-recorder.ts';
import { readNode } from './node-object.ts';
import type { NodeStore } from './node-store.ts';
import { readPod } from './pod.ts';
import { readConditions } from './pod-status.ts';
import { type Candidate, type SchedulingDecision, schedule } from './scheduling.ts';

/** Binds Pods without a node to one, and reports why a Pod fits on none. Runs until it is stopped. */
export function startScheduler(store: NodeStore, nowEpochMs: () => number): { stop(): void } {
  const decide = (object: KubeObject): SchedulingDecision => {
    const { pod, flaw } = readPod(object);
    return pod === undefined
      ? { kind: 'wait', reason: 'SchedulerError', message: flaw }
      : schedule(pod, candidates(store));
  };
  const events = new EventRecorder(store, { component: 'default-scheduler' }, nowEpochMs);

  const place = (object: KubeObject) => {
    const decision = decide(object);
    if (decision.kind === 'bind') {
      const { name, namespace } = object.metadata;
      const message = `Successfully assigned ${namespace}/${name} to ${decision.nodeName}`;
      store.bind(object, decision.nodeName);
      events.record(object, { type: 'Normal', reason: 'Scheduled', message });
      return;
    }
    const { reason, message } = decision;
    const before = readConditions(object.status ?? {}).find(({ type }) => type === 'PodScheduled');
    if (before?.reason === reason && before.message === message) {
      return;
    }
    const verdict = { type: 'PodScheduled', status: 'False', reason, message } as const;
    store.updateStatus('pods', object, (status) => ({
      ...status,
      conditions: mergeConditions(readConditions(status), [verdict], kubeTime(nowEpochMs())),
    }));
    if (reason !== 'SchedulingGated') {
      events.record(object, { type: 'Warning', reason: 'FailedScheduling', message });
    }
  };

  const round = batch(() => {
    for (const object of store.list('pods').filter(isWaiting)) {
      place(object);
    }
  });
  const unsubscribers = [
    store.subscribe('nodes', round.request),
    store.subscribe('pods', ({ type, object }) => {
      if (type === 'DELETED') {
        events.forget(object.metadata.uid);
      }
      round.request();
    }),
  ];
  round.request();
  return {
    stop() {
      round.stop();
      for (const unsubscribe of unsubscribers) {
        unsubscribe();
      }
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

function candidates(store: NodeStore): Candidate[] {
  const bound = store
    .list('pods')
    .filter((pod) => !isOver(pod))
    .flatMap((pod) => readPod(pod).pod ?? []);
  return store
    .list('nodes')
    .map(readNode)
    .map((node) => ({ ...node, pods: bound.filter((pod) => pod.spec.nodeName === node.name) }));
}
