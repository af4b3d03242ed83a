import { type Candidate, schedule } from '../../../../sandbox/node/scheduling.ts';
import { makePod } from './pod-fixtures.ts';

const capacity = { cpu: '2', memory: '4Gi', pods: '3' };

function makeNode(name: string, overrides: Partial<Candidate> = {}): Candidate {
  return { name, labels: { zone: name }, taints: [], capacity, pods: [], ...overrides };
}

const requesting = (requests: Record<string, string>) => ({
  containers: [{ name: 'main', image: 'agent:1', resources: { requests } }],
});

const affinityTo = (zone: string) => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: [zone] }] }],
    },
  },
});

test('a Pod goes to the node with the fewest Pods', () => {
  const nodes = [makeNode('a', { pods: [makePod()] }), makeNode('b')];

  expect(schedule(makePod(), nodes)).toEqual({ kind: 'bind', nodeName: 'b' });
});

test('a Pod goes only where its selector, its affinity and its tolerations let it', () => {
  const taints = [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }];
  const nodes = [makeNode('a'), makeNode('b'), makeNode('c', { taints })];

  expect(schedule(makePod({ nodeSelector: { zone: 'b' } }), nodes)).toEqual({ kind: 'bind', nodeName: 'b' });
  expect(schedule(makePod({ affinity: affinityTo('b') }), nodes)).toEqual({ kind: 'bind', nodeName: 'b' });
  expect(
    schedule(makePod({ nodeSelector: { zone: 'c' }, tolerations: [{ key: 'gpu', value: 'yes' }] }), nodes),
  ).toEqual({ kind: 'bind', nodeName: 'c' });
});

test('a gated Pod is not placed', () => {
  expect(schedule(makePod({ schedulingGates: [{ name: 'queue' }] }), [makeNode('a')])).toEqual({
    kind: 'wait',
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  });
});

const hog = makePod(requesting({ cpu: '1500m' }));

test.each([
  ['no node', {}, [], 'no nodes available to schedule pods'],
  [
    'a selector that matches no node',
    { nodeSelector: { zone: 'x' } },
    [makeNode('a')],
    "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. " +
      'preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
  ],
  [
    'insufficient resources',
    requesting({ cpu: '600m', memory: '5Gi' }),
    [makeNode('a', { pods: [hog] })],
    '0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory. ' +
      'preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
  ],
  [
    'a full node and a lost one',
    {},
    [
      makeNode('a', { pods: [hog, hog, hog] }),
      makeNode('b', { taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' }] }),
    ],
    '0/2 nodes are available: 1 Too many pods, 1 node(s) had untolerated taint {node.kubernetes.io/unreachable: }. ' +
      'preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, ' +
      '1 Preemption is not helpful for scheduling.',
  ],
])("%s is reported in the scheduler's words", (_fact, spec, nodes, message) => {
  expect(schedule(makePod(spec), nodes)).toEqual({ kind: 'wait', reason: 'Unschedulable', message });
});
