import type { ContainerState } from '../../../../sandbox/node/container-state.ts';
import { podPhase } from '../../../../sandbox/node/phase.ts';
import { ended, makePod, makeStatus, running, waiting } from './pod-fixtures.ts';

const two = {
  containers: [
    { name: 'a', image: 'agent:1' },
    { name: 'b', image: 'agent:1' },
  ],
};
const withInit = {
  initContainers: [
    { name: 'init', image: 'agent:1' },
    { name: 'side', image: 'agent:1', restartPolicy: 'Always' },
  ],
  containers: [{ name: 'a', image: 'agent:1' }],
};

/** The state of each container, and the one before. */
type Statuses = Record<string, [state: ContainerState, lastState?: ContainerState]>;
type Row = [fact: string, policy: string, phase: string, statuses: Statuses, isTerminated?: boolean];

const statusesOf = (statuses: Statuses) =>
  new Map(Object.entries(statuses).map(([name, states]) => makeStatus(name, ...states)));

const rows: Row[] = [
  ['one container still to start', 'Always', 'Pending', { a: [running], b: [waiting()] }],
  ['a container without a status', 'Always', 'Pending', { a: [running] }],
  ['all running', 'Never', 'Running', { a: [running], b: [running] }],
  ['one running, one failed', 'Never', 'Running', { a: [running], b: [ended(1)] }],
  ['all succeeded', 'Never', 'Succeeded', { a: [ended(0)], b: [ended(0)] }],
  ['one of two failed', 'Never', 'Failed', { a: [ended(0)], b: [ended(1)] }],
  ['all succeeded', 'OnFailure', 'Succeeded', { a: [ended(0)], b: [ended(0)] }],
  ['one of two failed', 'OnFailure', 'Running', { a: [ended(0)], b: [ended(1)] }],
  ['all ended', 'Always', 'Running', { a: [ended(0)], b: [ended(1)] }],
  [
    'both in a crash loop',
    'Always',
    'Running',
    { a: [waiting('CrashLoopBackOff'), ended(1)], b: [waiting('CrashLoopBackOff'), ended(1)] },
  ],
  ['all stopped for good, with success', 'Always', 'Failed', { a: [ended(0)], b: [ended(143)] }, true],
  ['all stopped for good, with success', 'Always', 'Succeeded', { a: [ended(0)], b: [ended(0)] }, true],
  ['stopped before they started', 'Always', 'Failed', { a: [waiting()], b: [waiting()] }, true],
];

test.each(rows)(
  '%s under policy %s: the phase is %s',
  (_fact, restartPolicy, phase, statuses, isTerminated = false) => {
    const { spec } = makePod({ ...two, restartPolicy });

    expect(podPhase(spec, statusesOf(statuses), isTerminated)).toBe(phase);
  },
);

describe('with init containers', () => {
  const initRows: Row[] = [
    ['the first runs', 'Never', 'Pending', { init: [running], a: [waiting('PodInitializing')] }],
    ['it failed for good', 'Never', 'Failed', { init: [ended(1)], a: [waiting()] }],
    ['it failed and is run again', 'Always', 'Pending', { init: [ended(1)], a: [waiting()] }],
    ['they are done', 'Never', 'Running', { init: [ended(0)], side: [running], a: [running] }],
    ['only the sidecar still runs', 'Never', 'Running', { init: [ended(0)], side: [running], a: [ended(0)] }],
    ['the sidecar was ended by force', 'Never', 'Succeeded', { init: [ended(0)], side: [ended(137)], a: [ended(0)] }],
  ];

  test.each(initRows)('%s under policy %s: the phase is %s', (_fact, restartPolicy, phase, statuses) => {
    const { spec } = makePod({ ...withInit, restartPolicy });

    expect(podPhase(spec, statusesOf(statuses))).toBe(phase);
  });
});
