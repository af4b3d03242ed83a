import type { PodView } from '../../../../core/pod/kubernetes-objects.ts';
import { exitOf } from '../../../../functions/sweep/exit-words.ts';

function podWith(status: PodView['status']): PodView {
  return {
    metadata: { name: 'agent', namespace: 'agents', uid: 'uid', resourceVersion: '1' },
    spec: { containers: [] },
    status,
  };
}

test.each([
  { pod: undefined, words: "the agent's Pod is gone", isFailure: false, isLoss: true },
  {
    pod: podWith({ phase: 'Succeeded' }),
    words: "the agent's Pod has ended: phase Succeeded",
    isFailure: false,
    isLoss: false,
  },
  {
    pod: podWith({
      phase: 'Failed',
      containerStatuses: [
        { name: 'agent', state: { terminated: { exitCode: 137, reason: 'OOMKilled' } } },
        { name: 'sidecar', state: { terminated: { exitCode: 0, reason: 'Completed' } } },
        { name: 'waiter', state: { waiting: { reason: 'PodInitializing' } } },
        { name: 'unseen' },
      ],
    }),
    words: "the agent's Pod has ended: phase Failed; container agent terminated with exit code 137: OOMKilled",
    isFailure: true,
    isLoss: false,
  },
  {
    pod: podWith({ phase: 'Failed', reason: 'DeadlineExceeded', message: 'active for too long' }),
    words: "the agent's Pod has ended: phase Failed; DeadlineExceeded: active for too long",
    isFailure: true,
    isLoss: false,
  },
  {
    pod: podWith({ phase: 'Failed', reason: 'Evicted', message: 'low on memory' }),
    words: "the agent's Pod has ended: phase Failed; Evicted: low on memory",
    isFailure: true,
    isLoss: true,
  },
  {
    pod: podWith({
      phase: 'Failed',
      conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'DeletionByPodGC', message: 'node is gone' }],
    }),
    words: "the agent's Pod has ended: phase Failed; DisruptionTarget DeletionByPodGC: node is gone",
    isFailure: true,
    isLoss: true,
  },
])('$words', ({ pod, words, isFailure, isLoss }) => {
  expect(exitOf(pod)).toEqual({ words, isFailure, isLoss, isGone: pod === undefined });
});
