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
  ["the agent's Pod is gone", undefined, false, true],
  ["the agent's Pod has ended: phase Succeeded", podWith({ phase: 'Succeeded' }), false, false],
  [
    "the agent's Pod has ended: phase Failed; container agent terminated with exit code 137: OOMKilled",
    podWith({
      phase: 'Failed',
      containerStatuses: [
        { name: 'agent', state: { terminated: { exitCode: 137, reason: 'OOMKilled' } } },
        { name: 'sidecar', state: { terminated: { exitCode: 0, reason: 'Completed' } } },
        { name: 'waiter', state: { waiting: { reason: 'PodInitializing' } } },
        { name: 'unseen' },
      ],
    }),
    true,
    false,
  ],
  [
    "the agent's Pod has ended: phase Failed; DeadlineExceeded: active for too long",
    podWith({ phase: 'Failed', reason: 'DeadlineExceeded', message: 'active for too long' }),
    true,
    false,
  ],
  [
    "the agent's Pod has ended: phase Failed; Evicted: low on memory",
    podWith({ phase: 'Failed', reason: 'Evicted', message: 'low on memory' }),
    true,
    true,
  ],
  [
    "the agent's Pod has ended: phase Failed; DisruptionTarget DeletionByPodGC: node is gone",
    podWith({
      phase: 'Failed',
      conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'DeletionByPodGC', message: 'node is gone' }],
    }),
    true,
    true,
  ],
])('%s', (words, pod, isFailure, isLoss) => {
  expect(exitOf(pod)).toEqual({ words, isFailure, isLoss, isGone: pod === undefined });
});
