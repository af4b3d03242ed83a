import { humanDuration } from '../../../../sandbox/api/human-duration.ts';
import { podCells } from '../../../../sandbox/api/pod-columns.ts';
import type { KubeObject } from '../../../../sandbox/cluster-store.ts';

const NOW = Date.UTC(2026, 0, 1, 0, 1, 0);

const pod = (status: Record<string, unknown>, metadata: Partial<KubeObject['metadata']> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
  spec: { containers: [{ name: 'c' }], initContainers: [{ name: 'i' }], nodeName: 'n1' },
  status,
});

const container = (state: unknown, more: Record<string, unknown> = {}) => ({ name: 'c', state, ...more });

describe('the STATUS of a Pod', () => {
  test.each<[string, Record<string, unknown>]>([
    ['Pending', { phase: 'Pending' }],
    [
      'ContainerCreating',
      { phase: 'Pending', containerStatuses: [container({ waiting: { reason: 'ContainerCreating' } })] },
    ],
    ['ErrImagePull', { phase: 'Pending', containerStatuses: [container({ waiting: { reason: 'ErrImagePull' } })] }],
    ['Running', { phase: 'Running', containerStatuses: [container({ running: {} }, { ready: true })] }],
    ['Completed', { phase: 'Succeeded', containerStatuses: [container({ terminated: { reason: 'Completed' } })] }],
    ['Error', { phase: 'Failed', containerStatuses: [container({ terminated: { reason: 'Error', exitCode: 1 } })] }],
    ['OOMKilled', { phase: 'Failed', containerStatuses: [container({ terminated: { reason: 'OOMKilled' } })] }],
    ['ExitCode:3', { phase: 'Failed', containerStatuses: [container({ terminated: { exitCode: 3 } })] }],
    ['Signal:9', { phase: 'Failed', containerStatuses: [container({ terminated: { signal: 9 } })] }],
    ['Evicted', { phase: 'Failed', reason: 'Evicted' }],
    [
      'SchedulingGated',
      { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] },
    ],
    ['Init:0/1', { phase: 'Pending', initContainerStatuses: [container({ running: {} })] }],
    [
      'Init:CrashLoopBackOff',
      { phase: 'Pending', initContainerStatuses: [container({ waiting: { reason: 'CrashLoopBackOff' } })] },
    ],
    ['Init:ExitCode:2', { phase: 'Pending', initContainerStatuses: [container({ terminated: { exitCode: 2 } })] }],
    [
      'Running',
      {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [
          container({ terminated: { reason: 'Completed' } }),
          container({ running: {} }, { ready: true }),
        ],
      },
    ],
  ])('is %s for %j', (status, podStatus) => {
    expect(podCells(pod(podStatus), NOW)[2]).toBe(status);
  });

  test('is Terminating once it is deleted, unless it has ended', () => {
    const deleted = { deletionTimestamp: '2026-01-01T00:00:30Z' };

    expect(podCells(pod({ phase: 'Running' }, deleted), NOW)[2]).toBe('Terminating');
    expect(podCells(pod({ phase: 'Failed' }, deleted), NOW)[2]).toBe('Failed');
    expect(podCells(pod({ phase: 'Running', reason: 'NodeLost' }, deleted), NOW)[2]).toBe('Unknown');
  });
});

test('the row of a Pod counts ready containers and restarts', () => {
  const status = {
    phase: 'Running',
    podIP: '10.0.0.1',
    containerStatuses: [
      container(
        { running: {} },
        { ready: true, restartCount: 2, lastState: { terminated: { finishedAt: '2026-01-01T00:00:50Z' } } },
      ),
    ],
  };

  expect(podCells(pod(status), NOW)).toEqual([
    'a',
    '1/1',
    'Running',
    '2 (10s ago)',
    '60s',
    '10.0.0.1',
    'n1',
    '<none>',
    '<none>',
  ]);
});

test.each([
  [-5000, '<invalid>'],
  [0, '0s'],
  [119_000, '119s'],
  [120_000, '2m'],
  [125_000, '2m5s'],
  [600_000, '10m'],
  [3 * 3_600_000, '3h'],
  [3 * 3_600_000 + 60_000, '3h1m'],
  [9 * 3_600_000, '9h'],
  [50 * 3_600_000, '2d2h'],
  [10 * 24 * 3_600_000, '10d'],
  [3 * 365 * 24 * 3_600_000, '3y'],
])('%d ms are shown as %s', (durationMs, shown) => {
  expect(humanDuration(durationMs)).toBe(shown);
});
