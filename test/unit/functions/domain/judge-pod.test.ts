import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { judgePod, type PodVerdict } from '../../../../functions/domain/judge-pod.ts';
import type { PodView } from '../../../../functions/domain/kubernetes-objects.ts';
import { podUid, podView, running, terminated, waiting } from '../../../support/pod-view.ts';

const agentAbout = { node: 'node-1', container: 'agent', image: 'registry.example/agent:1' };
const pullSays = 'ImagePullBackOff: Back-off pulling image "registry.example/agent:1": manifest unknown';
const pulling = waiting(
  'agent',
  'ImagePullBackOff',
  'Back-off pulling image "registry.example/agent:1": manifest unknown',
);

interface Row {
  fact: string;
  pod: PodView | undefined;
  verdict: PodVerdict;
}

const rows: Row[] = [
  {
    fact: 'a Pod that is not there was deleted from outside',
    pod: undefined,
    verdict: { kind: 'terminal', code: 'DeletedExternally', says: 'the Pod is gone', about: {} },
  },
  {
    fact: 'a Pod of another uid has replaced ours',
    pod: podView({ phase: 'Running' }, { uid: 'pod-uid-2' }),
    verdict: {
      kind: 'terminal',
      code: 'DeletedExternally',
      says: 'Pod davit-x was replaced: uid pod-uid-2, not pod-uid-1',
      about: {},
    },
  },
  {
    fact: 'a Pod that is being deleted is over, however well it runs',
    pod: podView({ phase: 'Running' }, { deletionTimestamp: '2026-01-01T00:00:09Z' }),
    verdict: {
      kind: 'terminal',
      code: 'DeletedExternally',
      says: 'Pod davit-x is being deleted since 2026-01-01T00:00:09Z',
      about: {},
    },
  },
  {
    fact: 'phase Failed is over, and says the reason, the message and what each container came to',
    pod: podView({
      phase: 'Failed',
      reason: 'Evicted',
      message: 'The node was low on resource: memory.',
      containerStatuses: [terminated('agent', 137, 'OOMKilled')],
    }),
    verdict: {
      kind: 'terminal',
      code: 'PodFailed',
      says: 'phase Failed; Evicted; The node was low on resource: memory.; container agent terminated with exit code 137: OOMKilled',
      about: { node: 'node-1' },
    },
  },
  {
    fact: 'phase Failed for no reason but a container’s is told as that container’s end, as a moment before',
    pod: podView({ phase: 'Failed', containerStatuses: [terminated('agent', 1, 'Error')] }),
    verdict: {
      kind: 'terminal',
      code: 'ContainerTerminated',
      says: 'container agent terminated with exit code 1: Error',
      about: agentAbout,
    },
  },
  {
    fact: 'phase Failed without a word is over',
    pod: podView({ phase: 'Failed' }),
    verdict: { kind: 'terminal', code: 'PodFailed', says: 'phase Failed', about: { node: 'node-1' } },
  },
  {
    fact: 'phase Failed is over even while an image has its grace',
    pod: podView({ phase: 'Failed', containerStatuses: [waiting('agent', 'ErrImagePull')] }),
    verdict: {
      kind: 'terminal',
      code: 'PodFailed',
      says: 'phase Failed; container agent waiting: ErrImagePull',
      about: { node: 'node-1' },
    },
  },
  {
    fact: 'phase Succeeded is over: the agent left before it connected',
    pod: podView({ phase: 'Succeeded', containerStatuses: [terminated('agent', 0, 'Completed')] }),
    verdict: {
      kind: 'terminal',
      code: 'PodSucceeded',
      says: 'phase Succeeded; container agent terminated with exit code 0: Completed',
      about: { node: 'node-1' },
    },
  },
  {
    fact: 'an image name that cannot be parsed is terminal',
    pod: podView({
      phase: 'Pending',
      containerStatuses: [waiting('agent', 'InvalidImageName', 'couldn’t parse image name "a b"')],
    }),
    verdict: {
      kind: 'terminal',
      code: 'ImageNameInvalid',
      says: 'InvalidImageName: couldn’t parse image name "a b"',
      about: agentAbout,
    },
  },
  {
    fact: 'an image that cannot be pulled has grace, with the registry’s words',
    pod: podView({ phase: 'Pending', containerStatuses: [pulling] }),
    verdict: { kind: 'grace', code: 'ImagePullFailed', says: pullSays, about: agentAbout },
  },
  {
    fact: 'the first failure of a pull has grace under the same code as the ones after it',
    pod: podView({ phase: 'Pending', containerStatuses: [waiting('agent', 'ErrImagePull', 'not found')] }),
    verdict: { kind: 'grace', code: 'ImagePullFailed', says: 'ErrImagePull: not found', about: agentAbout },
  },
  {
    fact: 'an init container whose image cannot be pulled has grace, and its own image is named',
    pod: podView({ phase: 'Pending', initContainerStatuses: [waiting('fetch', 'ErrImagePull')] }),
    verdict: {
      kind: 'grace',
      code: 'ImagePullFailed',
      says: 'ErrImagePull',
      about: { node: 'node-1', container: 'fetch', image: 'registry.example/fetch:1' },
    },
  },
  {
    fact: 'a container that keeps crashing is terminal, and says how it ended before',
    pod: podView({
      phase: 'Running',
      containerStatuses: [
        { ...waiting('agent', 'CrashLoopBackOff', 'back-off 10s'), lastState: { terminated: { exitCode: 3 } } },
      ],
    }),
    verdict: {
      kind: 'terminal',
      code: 'ContainerTerminated',
      says: 'container agent waiting: CrashLoopBackOff: back-off 10s, before that exit code 3',
      about: agentAbout,
    },
  },
  {
    fact: 'a regular container that ended is terminal, even well, even while the phase is Running',
    pod: podView({ phase: 'Running', containerStatuses: [terminated('agent', 0, 'Completed')] }),
    verdict: {
      kind: 'terminal',
      code: 'ContainerTerminated',
      says: 'container agent terminated with exit code 0: Completed',
      about: agentAbout,
    },
  },
  {
    fact: 'an init container that failed is terminal',
    pod: podView({ phase: 'Pending', initContainerStatuses: [terminated('fetch', 2, 'Error')] }),
    verdict: {
      kind: 'terminal',
      code: 'ContainerTerminated',
      says: 'container fetch terminated with exit code 2: Error',
      about: { node: 'node-1', container: 'fetch', image: 'registry.example/fetch:1' },
    },
  },
  {
    fact: 'an init container that ended well is waited for, as is the rest',
    pod: podView({
      phase: 'Pending',
      initContainerStatuses: [terminated('fetch', 0)],
      containerStatuses: [waiting('agent', 'PodInitializing')],
    }),
    verdict: {
      kind: 'wait',
      says: 'phase Pending; container fetch terminated with exit code 0; container agent waiting: PodInitializing',
      about: { node: 'node-1' },
    },
  },
  {
    fact: 'a native sidecar that ended badly is waited for: the kubelet starts it again',
    pod: podView({
      phase: 'Running',
      initContainerStatuses: [terminated('proxy', 1)],
      containerStatuses: [running('agent')],
    }),
    verdict: {
      kind: 'wait',
      says: 'phase Running; container proxy terminated with exit code 1; container agent running',
      about: { node: 'node-1' },
    },
  },
  {
    fact: 'a native sidecar that keeps crashing is terminal',
    pod: podView({ phase: 'Pending', initContainerStatuses: [waiting('proxy', 'CrashLoopBackOff')] }),
    verdict: {
      kind: 'terminal',
      code: 'ContainerTerminated',
      says: 'container proxy waiting: CrashLoopBackOff',
      about: { node: 'node-1', container: 'proxy', image: 'registry.example/proxy:1' },
    },
  },
  {
    fact: 'a Pod that no node takes is waited for, and the scheduler’s words are worth telling',
    pod: podView({
      phase: 'Pending',
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'Unschedulable',
          message: '0/3 nodes are available: 3 taints.',
        },
      ],
    }),
    verdict: {
      kind: 'wait',
      signal: 'Unschedulable',
      says: 'Unschedulable: 0/3 nodes are available: 3 taints.',
      about: {},
    },
  },
  {
    fact: 'a Pod that a queue holds is waited for',
    pod: podView({
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }],
    }),
    verdict: { kind: 'wait', signal: 'SchedulingGated', says: 'SchedulingGated', about: {} },
  },
  {
    fact: 'a Pending Pod whose containers run is waited for (JENKINS-68649)',
    pod: podView({ phase: 'Pending', containerStatuses: [running('agent')] }),
    verdict: { kind: 'wait', says: 'phase Pending; container agent running', about: { node: 'node-1' } },
  },
  {
    fact: 'a Pod of which nothing is reported is waited for',
    pod: podView(),
    verdict: { kind: 'wait', says: 'phase empty', about: { node: 'node-1' } },
  },
];

test.each(rows)('$fact', ({ pod, verdict }) => {
  expect(judgePod(pod, podUid)).toEqual(verdict);
});

describe('of two things that are wrong, the graver one is told', () => {
  const ended = terminated('agent', 1);
  const unschedulable = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' };

  test.each([
    {
      fact: 'another uid before a deletion',
      pod: podView({ phase: 'Failed' }, { uid: 'pod-uid-2', deletionTimestamp: '2026-01-01T00:00:09Z' }),
      says: /was replaced/,
    },
    {
      fact: 'a deletion before the phase',
      pod: podView({ phase: 'Failed' }, { deletionTimestamp: '2026-01-01T00:00:09Z' }),
      says: /is being deleted/,
    },
    {
      fact: 'a phase with a reason of its own before a container',
      pod: podView({ phase: 'Failed', reason: 'Evicted', containerStatuses: [ended] }),
      says: /^phase Failed; Evicted/,
    },
    {
      fact: 'a container that is over before one whose image may yet be pulled, whichever comes first',
      pod: podView({ phase: 'Pending', containerStatuses: [waiting('helper', 'ErrImagePull'), ended] }),
      says: /^container agent terminated/,
    },
    {
      fact: 'a container before the scheduler',
      pod: podView({ phase: 'Pending', containerStatuses: [pulling], conditions: [unschedulable] }),
      says: /^ImagePullBackOff/,
    },
  ])('$fact', ({ pod, says }) => {
    expect(judgePod(pod, podUid).says).toMatch(says);
  });
});

describe('phases', () => {
  const known = ['Pending', 'Running', 'Unknown', '', 'Creating', 'Waiting', 'Terminated', 'failed', 'SUCCEEDED'];
  const anyPhase = fc
    .oneof(fc.constantFrom(...known), fc.string())
    .filter((phase) => !/^(Succeeded|Failed)$/.test(phase));

  test('no phase but Succeeded and Failed ends a launch by itself', () => {
    fc.assert(
      fc.property(fc.option(anyPhase, { nil: undefined }), (phase) => {
        const pod = podView({ ...(phase === undefined ? {} : { phase }), containerStatuses: [running('agent')] });

        expect(judgePod(pod, podUid).kind).toBe('wait');
      }),
    );
  });

  test('no phase hides a container that is over', () => {
    fc.assert(
      fc.property(anyPhase, (phase) => {
        const pod = podView({ phase, containerStatuses: [terminated('agent', 1)] });

        expect(judgePod(pod, podUid)).toMatchObject({ kind: 'terminal', code: 'ContainerTerminated' });
      }),
    );
  });

  test('a reason that a container waits for and that nobody knows is waited for', () => {
    const judged = new Set(['InvalidImageName', 'CrashLoopBackOff', 'ErrImagePull', 'ImagePullBackOff']);
    const anyReason = fc.string().filter((reason) => !judged.has(reason));
    fc.assert(
      fc.property(anyReason, (reason) => {
        const pod = podView({ phase: 'Pending', containerStatuses: [waiting('agent', reason)] });

        expect(judgePod(pod, podUid).kind).toBe('wait');
      }),
    );
  });
});
