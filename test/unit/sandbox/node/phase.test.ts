import type { ContainerStatus } from '../../../../sandbox/node/container-state.ts';
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

type Row = [fact: string, policy: string, phase: string, statuses: [string, ContainerStatus][], isTerminated?: boolean];

const rows: Row[] = [
  ['one container still to start', 'Always', 'Pending', [makeStatus('a', running), makeStatus('b', waiting())]],
  ['a container without a status', 'Always', 'Pending', [makeStatus('a', running)]],
  ['all running', 'Never', 'Running', [makeStatus('a', running), makeStatus('b', running)]],
  ['one running, one failed', 'Never', 'Running', [makeStatus('a', running), makeStatus('b', ended(1))]],
  ['all succeeded', 'Never', 'Succeeded', [makeStatus('a', ended(0)), makeStatus('b', ended(0))]],
  ['one of two failed', 'Never', 'Failed', [makeStatus('a', ended(0)), makeStatus('b', ended(1))]],
  ['all succeeded', 'OnFailure', 'Succeeded', [makeStatus('a', ended(0)), makeStatus('b', ended(0))]],
  ['one of two failed', 'OnFailure', 'Running', [makeStatus('a', ended(0)), makeStatus('b', ended(1))]],
  ['all ended', 'Always', 'Running', [makeStatus('a', ended(0)), makeStatus('b', ended(1))]],
  [
    'both in a crash loop',
    'Always',
    'Running',
    [makeStatus('a', waiting('CrashLoopBackOff'), ended(1)), makeStatus('b', waiting('CrashLoopBackOff'), ended(1))],
  ],
  [
    'all stopped for good, with success',
    'Always',
    'Failed',
    [makeStatus('a', ended(0)), makeStatus('b', ended(143))],
    true,
  ],
  [
    'all stopped for good, with success',
    'Always',
    'Succeeded',
    [makeStatus('a', ended(0)), makeStatus('b', ended(0))],
    true,
  ],
  ['stopped before they started', 'Always', 'Failed', [makeStatus('a', waiting()), makeStatus('b', waiting())], true],
];

test.each(rows)(
  '%s under policy %s: the phase is %s',
  (_fact, restartPolicy, phase, statuses, isTerminated = false) => {
    const { spec } = makePod({ ...two, restartPolicy });

    expect(podPhase(spec, new Map(statuses), isTerminated)).toBe(phase);
  },
);

describe('with init containers', () => {
  const initRows: Row[] = [
    ['the first runs', 'Never', 'Pending', [makeStatus('init', running), makeStatus('a', waiting('PodInitializing'))]],
    ['it failed for good', 'Never', 'Failed', [makeStatus('init', ended(1)), makeStatus('a', waiting())]],
    ['it failed and is run again', 'Always', 'Pending', [makeStatus('init', ended(1)), makeStatus('a', waiting())]],
    [
      'they are done',
      'Never',
      'Running',
      [makeStatus('init', ended(0)), makeStatus('side', running), makeStatus('a', running)],
    ],
    [
      'only the sidecar still runs',
      'Never',
      'Running',
      [makeStatus('init', ended(0)), makeStatus('side', running), makeStatus('a', ended(0))],
    ],
    [
      'the sidecar was ended by force',
      'Never',
      'Succeeded',
      [makeStatus('init', ended(0)), makeStatus('side', ended(137)), makeStatus('a', ended(0))],
    ],
  ];

  test.each(initRows)('%s under policy %s: the phase is %s', (_fact, restartPolicy, phase, statuses) => {
    const { spec } = makePod({ ...withInit, restartPolicy });

    expect(podPhase(spec, new Map(statuses))).toBe(phase);
  });
});
