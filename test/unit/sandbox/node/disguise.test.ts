import { ordinaryNode, virtualNode } from '../../../../sandbox/node/behaviour.ts';
import { disguise } from '../../../../sandbox/node/disguise.ts';
import type { PodStatus } from '../../../../sandbox/node/pod-status.ts';
import { makeStatus, running, waiting } from './pod-fixtures.ts';

const [, runningStatus] = makeStatus('main', running);
const [, waitingStatus] = makeStatus('main', waiting());
const truth: PodStatus = {
  phase: 'Running',
  conditions: [],
  hostIP: '127.0.0.1',
  hostIPs: [{ ip: '127.0.0.1' }],
  podIP: '127.64.0.1',
  podIPs: [{ ip: '127.64.0.1' }],
  containerStatuses: [runningStatus],
};
const elapsed = { sinceAcceptedMs: 1000, sinceSandboxMs: 900, sinceRunningMs: 800 };

test('an ordinary node reports the truth', () => {
  expect(disguise(truth, ordinaryNode, elapsed)).toEqual({ status: truth, nextChangeInMs: undefined });
});

test('a virtual node reports Pending for a while although its containers run', () => {
  const behaviour = { ...ordinaryNode, ...virtualNode };

  expect(disguise(truth, behaviour, elapsed)).toEqual({ status: { ...truth, phase: 'Pending' }, nextChangeInMs: 2200 });
  expect(disguise(truth, behaviour, { ...elapsed, sinceRunningMs: 3000 }).status.phase).toBe('Running');
});

test('a final phase is reported immediately, even by a virtual node', () => {
  const over = { ...truth, phase: 'Failed' };

  expect(disguise(over, { ...ordinaryNode, ...virtualNode }, elapsed).status.phase).toBe('Failed');
});

test('a virtual node has its own words for a container in creation', () => {
  const behaviour = { ...ordinaryNode, ...virtualNode };
  const creating = { ...truth, phase: 'Pending', containerStatuses: [waitingStatus] };

  const before = disguise(creating, behaviour, { ...elapsed, sinceSandboxMs: undefined, sinceRunningMs: undefined });
  const after = disguise(creating, behaviour, { ...elapsed, sinceRunningMs: undefined });

  expect(before.status.containerStatuses[0]?.state).toEqual({ waiting: { reason: 'Creating' } });
  expect(after.status.containerStatuses[0]?.state).toEqual({ waiting: { reason: 'Waiting' } });
});

test('late addresses are missing until they are due', () => {
  const behaviour = { ...ordinaryNode, hostIPDelayMs: 1500, podIPDelayMs: 1000 };

  const { status, nextChangeInMs } = disguise(truth, behaviour, elapsed);

  expect(Object.keys(status)).toEqual(['phase', 'conditions', 'containerStatuses']);
  expect(nextChangeInMs).toBe(100);
});

test('an address that never comes causes no further change', () => {
  const { status, nextChangeInMs } = disguise(truth, { ...ordinaryNode, hostIPDelayMs: Infinity }, elapsed);

  expect(status).not.toHaveProperty('hostIP');
  expect(nextChangeInMs).toBeUndefined();
});
