import { kubeletConditions, mergeConditions, type PodCondition } from '../../../../sandbox/node/conditions.ts';
import { ended, makePod, makeStatus, running, waiting } from './pod-fixtures.ts';

const { spec } = makePod({ initContainers: [{ name: 'init', image: 'agent:1' }] });
const facts = { spec, hasSandbox: true, trueConditions: new Set<string>() };

test('an initialising Pod is neither initialised nor ready, and names the containers that it waits for', () => {
  const statuses = new Map([makeStatus('init', running), makeStatus('main', waiting('PodInitializing'))]);

  expect(kubeletConditions({ ...facts, phase: 'Pending', statuses })).toEqual([
    { type: 'PodReadyToStartContainers', status: 'True' },
    {
      type: 'Initialized',
      status: 'False',
      reason: 'ContainersNotInitialized',
      message: 'containers with incomplete status: [init]',
    },
    { type: 'Ready', status: 'False', reason: 'ContainersNotReady', message: 'containers with unready status: [main]' },
    {
      type: 'ContainersReady',
      status: 'False',
      reason: 'ContainersNotReady',
      message: 'containers with unready status: [main]',
    },
    { type: 'PodScheduled', status: 'True' },
  ]);
});

test('a Pod that has succeeded is initialised and, because it is completed, not ready', () => {
  const statuses = new Map([makeStatus('init', ended(0)), makeStatus('main', ended(0))]);

  const conditions = kubeletConditions({ ...facts, phase: 'Succeeded', statuses });

  expect(conditions).toContainEqual({ type: 'Initialized', status: 'True', reason: 'PodCompleted' });
  expect(conditions).toContainEqual({ type: 'Ready', status: 'False', reason: 'PodCompleted' });
});

test('a readiness gate that is not True keeps a Pod from being ready, though its containers are', () => {
  const gated = makePod({ readinessGates: [{ conditionType: 'example.com/gate' }] }).spec;
  const statuses = new Map([makeStatus('main', running)]);

  const closed = kubeletConditions({ ...facts, spec: gated, phase: 'Running', statuses });
  const open = kubeletConditions({
    ...facts,
    spec: gated,
    phase: 'Running',
    statuses,
    trueConditions: new Set(['example.com/gate']),
  });

  expect(closed.map(({ type, status }) => `${type}=${status}`)).toContain('Ready=False');
  expect(open.map(({ type, status }) => `${type}=${status}`)).toContain('Ready=True');
});

const condition = (type: string, status: 'True' | 'False', time: string): PodCondition => ({
  type,
  status,
  lastProbeTime: null,
  lastTransitionTime: time,
});

test('conditions keep their time while their status stays, and foreign conditions stay unchanged', () => {
  const existing = [
    condition('Mine', 'True', 'old'),
    condition('Ready', 'False', 'old'),
    condition('Same', 'True', 'old'),
  ];

  const merged = mergeConditions(
    existing,
    [
      { type: 'Ready', status: 'True' },
      { type: 'Same', status: 'True' },
    ],
    'new',
  );

  expect(merged).toEqual([
    condition('Mine', 'True', 'old'),
    condition('Ready', 'True', 'new'),
    condition('Same', 'True', 'old'),
  ]);
});
