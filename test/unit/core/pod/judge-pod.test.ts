import * as fc from 'fast-check';
import { judgePod } from '../../../../core/pod/judge-pod.ts';
import type { PodView } from '../../../../core/pod/kubernetes-objects.ts';
import type { PodVerdict } from '../../../../core/pod/pod-verdict.ts';
import { podUid, podView, running, saying, terminated, waiting } from '../../../support/pod-view.ts';

const agentAbout = { node: 'node-1', container: 'agent', image: 'registry.example/agent:1' };
const pullGrace = { grace: 'imagePullSeconds', code: 'ImagePullFailed' } as const;
const pullSays = 'ImagePullBackOff: Back-off pulling image "registry.example/agent:1": manifest unknown';
const pulling = waiting(
  'agent',
  'ImagePullBackOff',
  'Back-off pulling image "registry.example/agent:1": manifest unknown',
);

/** The Pod with a second regular container. */
function withHelper(pod: PodView): PodView {
  return { ...pod, spec: { ...pod.spec, containers: [...pod.spec.containers, { name: 'helper' }] } };
}

interface Row {
  fact: string;
  pod: PodView | undefined;
  verdict: PodVerdict;
}

const rows: Row[] = [
  {
    fact: 'a missing Pod was deleted from outside',
    pod: undefined,
    verdict: { kind: 'relaunch', code: 'DeletedExternally', detail: 'the Pod is gone', subject: {} },
  },
  {
    fact: 'a Pod of another uid has replaced ours',
    pod: podView({ phase: 'Running' }, { uid: 'pod-uid-2' }),
    verdict: {
      kind: 'relaunch',
      code: 'DeletedExternally',
      detail: 'Pod davit-x was replaced: uid pod-uid-2, not pod-uid-1',
      subject: {},
    },
  },
  {
    fact: 'a Pod that is being deleted is over, however well it runs',
    pod: podView({ phase: 'Running' }, { deletionTimestamp: '2026-01-01T00:00:09Z' }),
    verdict: {
      kind: 'relaunch',
      code: 'DeletedExternally',
      detail: 'Pod davit-x is being deleted since 2026-01-01T00:00:09Z',
      subject: {},
    },
  },
  {
    fact: "phase Failed is over, with the reason, the message and each container's end",
    pod: podView({
      phase: 'Failed',
      reason: 'OutOfcpu',
      message: "Pod was rejected: Node didn't have enough resource: cpu",
      containerStatuses: [terminated('agent', 137, 'Error')],
    }),
    verdict: {
      kind: 'terminal',
      code: 'PodFailed',
      detail:
        "phase Failed; OutOfcpu; Pod was rejected: Node didn't have enough resource: cpu; container agent terminated with exit code 137: Error",
      subject: { node: 'node-1' },
    },
  },
  {
    fact: "phase Failed without a reason of its own is reported as its container's end, as a moment before",
    pod: podView({ phase: 'Failed', containerStatuses: [terminated('agent', 1, 'Error')] }),
    verdict: {
      kind: 'terminal',
      code: 'ContainerTerminated',
      detail: 'container agent terminated with exit code 1: Error',
      subject: agentAbout,
    },
  },
  {
    fact: 'an empty message of a failed Pod is left out',
    pod: podView({ phase: 'Failed', reason: 'OutOfcpu', message: '' }),
    verdict: { kind: 'terminal', code: 'PodFailed', detail: 'phase Failed; OutOfcpu', subject: { node: 'node-1' } },
  },
  {
    fact: 'phase Failed without a reason is over',
    pod: podView({ phase: 'Failed' }),
    verdict: { kind: 'terminal', code: 'PodFailed', detail: 'phase Failed', subject: { node: 'node-1' } },
  },
  {
    fact: 'phase Failed is over even while an image has its grace',
    pod: podView({ phase: 'Failed', containerStatuses: [waiting('agent', 'ErrImagePull')] }),
    verdict: {
      kind: 'terminal',
      code: 'PodFailed',
      detail: 'phase Failed; container agent waiting: ErrImagePull',
      subject: { node: 'node-1' },
    },
  },
  {
    fact: 'phase Succeeded is over: the agent ended before it connected',
    pod: podView({ phase: 'Succeeded', containerStatuses: [terminated('agent', 0, 'Completed')] }),
    verdict: {
      kind: 'terminal',
      code: 'PodSucceeded',
      detail: 'phase Succeeded; container agent terminated with exit code 0: Completed',
      subject: { node: 'node-1' },
    },
  },
  {
    fact: 'phase Succeeded is over, whatever its containers say',
    pod: podView({ phase: 'Succeeded', containerStatuses: [running('agent')] }),
    verdict: {
      kind: 'terminal',
      code: 'PodSucceeded',
      detail: 'phase Succeeded; container agent running',
      subject: { node: 'node-1' },
    },
  },
  {
    fact: 'an image name that cannot be parsed is terminal',
    pod: podView({
      phase: 'Pending',
      containerStatuses: [waiting('agent', 'InvalidImageName', 'couldn\'t parse image name "a b"')],
    }),
    verdict: {
      kind: 'terminal',
      code: 'ImageNameInvalid',
      detail: 'InvalidImageName: couldn\'t parse image name "a b"',
      subject: agentAbout,
    },
  },
  {
    fact: "an image that cannot be pulled has grace, with the registry's words",
    pod: podView({ phase: 'Pending', containerStatuses: [pulling] }),
    verdict: { kind: 'grace', ...pullGrace, detail: pullSays, subject: agentAbout },
  },
  {
    fact: 'the first failure of a pull has grace under the same code as later ones',
    pod: podView({ phase: 'Pending', containerStatuses: [waiting('agent', 'ErrImagePull', 'not found')] }),
    verdict: { kind: 'grace', ...pullGrace, detail: 'ErrImagePull: not found', subject: agentAbout },
  },
  {
    fact: 'an init container whose image cannot be pulled has grace, and its own image is named',
    pod: podView({ phase: 'Pending', initContainerStatuses: [waiting('fetch', 'ErrImagePull')] }),
    verdict: {
      kind: 'grace',
      ...pullGrace,
      detail: 'ErrImagePull',
      subject: { node: 'node-1', container: 'fetch', image: 'registry.example/fetch:1' },
    },
  },
  {
    fact: 'a container that keeps crashing is terminal, and the detail has its earlier exit code',
    pod: podView({
      phase: 'Running',
      containerStatuses: [
        { ...waiting('agent', 'CrashLoopBackOff', 'back-off 10s'), lastState: { terminated: { exitCode: 3 } } },
      ],
    }),
    verdict: {
      kind: 'terminal',
      code: 'ContainerTerminated',
      detail: 'container agent waiting: CrashLoopBackOff: back-off 10s, before that exit code 3',
      subject: agentAbout,
    },
  },
  {
    fact: 'a regular container that ended is terminal, even while the phase is Running',
    pod: podView({ phase: 'Running', containerStatuses: [terminated('agent', 1, 'Error')] }),
    verdict: {
      kind: 'terminal',
      code: 'ContainerTerminated',
      detail: 'container agent terminated with exit code 1: Error',
      subject: agentAbout,
    },
  },
  {
    fact: 'a Pod whose containers all ended well has succeeded, before its phase says so',
    pod: podView({ phase: 'Pending', containerStatuses: [terminated('agent', 0, 'Completed')] }),
    verdict: {
      kind: 'terminal',
      code: 'PodSucceeded',
      detail: 'phase Pending; container agent terminated with exit code 0: Completed',
      subject: { node: 'node-1' },
    },
  },
  {
    fact: 'a regular container that ended well is over while another one runs',
    pod: withHelper(podView({ phase: 'Running', containerStatuses: [terminated('agent', 0), running('helper')] })),
    verdict: {
      kind: 'terminal',
      code: 'ContainerTerminated',
      detail: 'container agent terminated with exit code 0',
      subject: agentAbout,
    },
  },
  {
    fact: 'a container that the runtime could not start is reported as such, even if it is not retried',
    pod: podView({ phase: 'Failed', containerStatuses: [terminated('agent', 128, 'StartError')] }),
    verdict: {
      kind: 'terminal',
      code: 'ContainerStartFailed',
      detail: 'container agent terminated with exit code 128: StartError',
      subject: agentAbout,
    },
  },
  {
    fact: "the runtime's words about a container that it could not start are reported",
    pod: podView({ containerStatuses: [saying('agent', 128, 'StartError', 'exec: "agnet": not found in $PATH')] }),
    verdict: {
      kind: 'terminal',
      code: 'ContainerStartFailed',
      detail: 'container agent terminated with exit code 128: StartError: exec: "agnet": not found in $PATH',
      subject: agentAbout,
    },
  },
  {
    fact: "a container's own termination message may contain a secret, and is not reported here",
    pod: podView({ containerStatuses: [saying('agent', 1, 'Error', 'login failed for password hunter2')] }),
    verdict: {
      kind: 'terminal',
      code: 'ContainerTerminated',
      detail: 'container agent terminated with exit code 1: Error',
      subject: agentAbout,
    },
  },
  {
    fact: 'a failed init container is terminal, and reported as such',
    pod: podView({ phase: 'Pending', initContainerStatuses: [terminated('fetch', 2, 'Error')] }),
    verdict: {
      kind: 'terminal',
      code: 'InitContainerFailed',
      detail: 'container fetch terminated with exit code 2: Error',
      subject: { node: 'node-1', container: 'fetch', image: 'registry.example/fetch:1' },
    },
  },
  {
    fact: 'a completed init container is waited for, with the other containers',
    pod: podView({
      phase: 'Pending',
      initContainerStatuses: [terminated('fetch', 0)],
      containerStatuses: [waiting('agent', 'PodInitializing')],
    }),
    verdict: {
      kind: 'wait',
      detail: 'phase Pending; container fetch terminated with exit code 0; container agent waiting: PodInitializing',
      subject: { node: 'node-1' },
    },
  },
  {
    fact: 'a completed init container is waited for, also while the other containers have no status',
    pod: podView({ phase: 'Pending', initContainerStatuses: [terminated('fetch', 0)] }),
    verdict: {
      kind: 'wait',
      detail: 'phase Pending; container fetch terminated with exit code 0',
      subject: { node: 'node-1' },
    },
  },
  {
    fact: 'a container without a state is waited for',
    pod: podView({ phase: 'Pending', containerStatuses: [{ name: 'agent' }] }),
    verdict: { kind: 'wait', detail: 'phase Pending; container agent in no state', subject: { node: 'node-1' } },
  },
  {
    fact: 'a failed native sidecar is waited for: the kubelet restarts it',
    pod: podView({
      phase: 'Running',
      initContainerStatuses: [terminated('proxy', 1)],
      containerStatuses: [running('agent')],
    }),
    verdict: {
      kind: 'wait',
      detail: 'phase Running; container proxy terminated with exit code 1; container agent running',
      subject: { node: 'node-1' },
    },
  },
  {
    fact: 'a native sidecar that ended again is in a crash loop, whatever its kubelet calls it',
    pod: podView({
      phase: 'Pending',
      initContainerStatuses: [{ ...terminated('proxy', 5, 'Error'), restartCount: 1 }],
      containerStatuses: [waiting('agent', 'PodInitializing')],
    }),
    verdict: {
      kind: 'terminal',
      code: 'ContainerTerminated',
      detail: 'container proxy terminated with exit code 5: Error',
      subject: { node: 'node-1', container: 'proxy', image: 'registry.example/proxy:1' },
    },
  },
  {
    fact: 'a native sidecar that ended with its agent is not the cause',
    pod: podView({
      phase: 'Running',
      initContainerStatuses: [{ ...terminated('proxy', 143, 'Error'), restartCount: 1 }],
      containerStatuses: [terminated('agent', 3, 'Error')],
    }),
    verdict: {
      kind: 'terminal',
      code: 'ContainerTerminated',
      detail: 'container agent terminated with exit code 3: Error',
      subject: agentAbout,
    },
  },
  {
    fact: 'a native sidecar that keeps crashing is terminal',
    pod: podView({ phase: 'Pending', initContainerStatuses: [waiting('proxy', 'CrashLoopBackOff')] }),
    verdict: {
      kind: 'terminal',
      code: 'ContainerTerminated',
      detail: 'container proxy waiting: CrashLoopBackOff',
      subject: { node: 'node-1', container: 'proxy', image: 'registry.example/proxy:1' },
    },
  },
  {
    fact: "an unschedulable Pod is waited for, and the scheduler's words are reported",
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
      detail: 'Unschedulable: 0/3 nodes are available: 3 taints.',
      subject: {},
    },
  },
  {
    fact: 'only the condition of the scheduler is a signal',
    pod: podView({
      phase: 'Pending',
      conditions: [
        { type: 'ContainersReady', status: 'False', reason: 'ContainersNotReady' },
        { type: 'PodScheduled', status: 'True' },
      ],
    }),
    verdict: { kind: 'wait', detail: 'phase Pending', subject: { node: 'node-1' } },
  },
  {
    fact: 'a scheduler that gives no reason sends no signal',
    pod: podView({ phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', message: 'later' }] }),
    verdict: { kind: 'wait', detail: 'phase Pending', subject: { node: 'node-1' } },
  },
  {
    fact: 'a Pod in a queue is waited for',
    pod: podView({
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }],
    }),
    verdict: { kind: 'wait', signal: 'SchedulingGated', detail: 'SchedulingGated', subject: {} },
  },
  {
    fact: 'a Pending Pod whose containers run is waited for (JENKINS-68649)',
    pod: podView({ phase: 'Pending', containerStatuses: [running('agent')] }),
    verdict: { kind: 'wait', detail: 'phase Pending; container agent running', subject: { node: 'node-1' } },
  },
  {
    fact: 'a Pod without a status is waited for',
    pod: { ...podView(), status: undefined },
    verdict: { kind: 'wait', detail: 'phase empty', subject: { node: 'node-1' } },
  },
];

test.each(rows)('$fact', ({ pod, verdict }) => {
  expect(judgePod(pod, podUid)).toEqual(verdict);
});

describe('the graver of two findings is the verdict', () => {
  const ended = terminated('agent', 1);
  const unschedulable = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' };

  test.each([
    {
      fact: 'another uid before a deletion',
      pod: podView({ phase: 'Failed' }, { uid: 'pod-uid-2', deletionTimestamp: '2026-01-01T00:00:09Z' }),
      detail: /was replaced/,
    },
    {
      fact: 'a deletion before the phase',
      pod: podView({ phase: 'Failed' }, { deletionTimestamp: '2026-01-01T00:00:09Z' }),
      detail: /is being deleted/,
    },
    {
      fact: 'a phase with its own reason before a container',
      pod: podView({ phase: 'Failed', reason: 'OutOfcpu', containerStatuses: [ended] }),
      detail: /^phase Failed; OutOfcpu/,
    },
    {
      fact: 'an ended container before one whose image may yet be pulled, in any order',
      pod: podView({ phase: 'Pending', containerStatuses: [waiting('helper', 'ErrImagePull'), ended] }),
      detail: /^container agent terminated/,
    },
    {
      fact: 'a container before the scheduler',
      pod: podView({ phase: 'Pending', containerStatuses: [pulling], conditions: [unschedulable] }),
      detail: /^ImagePullBackOff/,
    },
  ])('$fact', ({ pod, detail }) => {
    expect(judgePod(pod, podUid).detail).toMatch(detail);
  });
});

const target = (reason: string, status = 'True') => ({ type: 'DisruptionTarget', status, reason, message: 'why' });

describe('a Pod that infrastructure takes is launched again', () => {
  const killed = [terminated('agent', 137, 'OOMKilled')];

  test.each([
    { reason: 'PreemptionByScheduler', code: 'PodPreempted' },
    { reason: 'EvictionByEvictionAPI', code: 'PodEvicted' },
    { reason: 'TerminationByKubelet', code: 'PodEvicted' },
    { reason: 'DeletionByTaintManager', code: 'NodeLost' },
    { reason: 'DeletionByPodGC', code: 'NodeLost' },
    { reason: 'TakenByASpotMarket', code: 'PodEvicted' },
  ])('DisruptionTarget $reason is $code, whatever the phase says', ({ reason, code }) => {
    const detail = `DisruptionTarget ${reason}: why`;
    for (const phase of ['Pending', 'Running', 'Failed', 'Succeeded', 'Unknown', '']) {
      const pod = podView({ phase, conditions: [target(reason)], containerStatuses: killed });

      expect(judgePod(pod, podUid)).toEqual({ kind: 'relaunch', code, detail, subject: { node: 'node-1' } });
    }
  });

  test.each([
    { reason: 'Evicted', code: 'PodEvicted' },
    { reason: 'Preempting', code: 'PodPreempted' },
    { reason: 'NodeShutdown', code: 'NodeLost' },
    { reason: 'Shutdown', code: 'NodeLost' },
    { reason: 'Terminated', code: 'NodeLost' },
    { reason: 'NodeLost', code: 'NodeLost' },
  ])('a failed Pod of reason $reason is $code, even when its containers have ended', ({ reason, code }) => {
    const pod = podView({ phase: 'Failed', reason, message: 'why', containerStatuses: killed });

    expect(judgePod(pod, podUid)).toMatchObject({ kind: 'relaunch', code, detail: `${reason}: why` });
  });

  test("the kubelet's reason distinguishes a shut-down node from one short of a resource", () => {
    const pod = podView({ phase: 'Failed', reason: 'Terminated', conditions: [target('TerminationByKubelet')] });

    expect(judgePod(pod, podUid)).toMatchObject({
      code: 'NodeLost',
      detail: 'DisruptionTarget TerminationByKubelet: why; Terminated',
    });
  });

  test('a disruption without a reason is an eviction', () => {
    const pod = podView({ conditions: [{ type: 'DisruptionTarget', status: 'True', message: 'why' }] });

    expect(judgePod(pod, podUid)).toMatchObject({ code: 'PodEvicted', detail: 'DisruptionTarget: why' });
  });

  test('a Pod that is being deleted because of a disruption was not deleted from outside', () => {
    const status = { phase: 'Running', conditions: [target('EvictionByEvictionAPI')] };
    const pod = podView(status, { deletionTimestamp: '2026-01-01T00:00:09Z' });

    expect(judgePod(pod, podUid)).toMatchObject({ kind: 'relaunch', code: 'PodEvicted' });
  });

  test("another Pod's disruption does not count", () => {
    const pod = podView({ conditions: [target('EvictionByEvictionAPI')] }, { uid: 'pod-uid-2' });

    expect(judgePod(pod, podUid)).toMatchObject({ kind: 'relaunch', code: 'DeletedExternally' });
  });

  test('a cancelled disruption does not count', () => {
    const pod = podView({ phase: 'Running', conditions: [target('PreemptionByScheduler', 'False')] });

    expect(judgePod(pod, podUid).kind).toBe('wait');
  });

  test("a virtual kubelet's unknown phase for a healthy Pod is waited for", () => {
    const pod = podView({ phase: 'Terminated', reason: 'Terminated', containerStatuses: [running('agent')] });

    expect(judgePod(pod, podUid)).toMatchObject({
      kind: 'wait',
      detail: 'phase Terminated; Terminated; container agent running',
    });
  });
});

describe('trouble that may pass has a grace period', () => {
  const withPolicy = (pod: PodView, imagePullPolicy: string): PodView => ({
    ...pod,
    spec: { ...pod.spec, containers: [{ name: 'agent', image: 'agent:1', imagePullPolicy }] },
  });
  const image = { grace: 'imagePullSeconds' } as const;
  const container = { grace: 'containerSeconds' } as const;

  test.each([
    { reason: 'ErrImagePull', ...image, code: 'ImagePullFailed' },
    { reason: 'ImagePullBackOff', ...image, code: 'ImagePullFailed' },
    { reason: 'RegistryUnavailable', ...image, code: 'ImagePullFailed' },
    { reason: 'SignatureValidationFailed', ...image, code: 'ImagePullFailed' },
    { reason: 'CreateContainerConfigError', ...container, code: 'ContainerConfigInvalid' },
    { reason: 'CreateContainerError', ...container, code: 'ContainerStartFailed' },
    { reason: 'RunContainerError', ...container, code: 'ContainerStartFailed' },
    { reason: 'CreatePodSandboxError', ...container, code: 'ContainerStartFailed' },
    { reason: 'ConfigPodSandboxError', ...container, code: 'ContainerStartFailed' },
    { reason: 'FailedCreatePodSandBox', ...container, code: 'ContainerStartFailed' },
    { reason: 'PreCreateHookError', ...container, code: 'ContainerStartFailed' },
    { reason: 'PreStartHookError', ...container, code: 'ContainerStartFailed' },
    { reason: 'PostStartHookError', ...container, code: 'ContainerStartFailed' },
  ])("$reason: $grace, then $code, in the kubelet's words", ({ reason, grace, code }) => {
    const pod = podView({ phase: 'Pending', containerStatuses: [waiting('agent', reason, 'why')] });

    expect(judgePod(pod, podUid)).toEqual({
      kind: 'grace',
      grace,
      code,
      detail: `${reason}: why`,
      subject: agentAbout,
    });
  });

  test.each(['ErrImageNeverPull', 'ImageInspectError'])("%s names the image's pull policy, too", (reason) => {
    const pod = podView({ phase: 'Pending', containerStatuses: [waiting('agent', reason, 'why')] });

    expect(judgePod(withPolicy(pod, 'Never'), podUid)).toMatchObject({
      kind: 'grace',
      ...image,
      code: 'ImageNotUsable',
      detail: `${reason}: why; imagePullPolicy: Never`,
      subject: { image: 'agent:1' },
    });
  });

  test('another reason does not name it, and a Pod without one has nothing to name', () => {
    const detailOf = (reason: string, name = 'agent') =>
      judgePod(withPolicy(podView({ containerStatuses: [waiting(name, reason)] }), 'Always'), podUid).detail;

    expect(detailOf('ErrImagePull')).toBe('ErrImagePull');
    expect(detailOf('ErrImageNeverPull', 'injected')).toBe('ErrImageNeverPull');
  });
});

const limited = (pod: PodView): PodView => {
  const resources = { limits: { memory: '512Mi' } };
  return { ...pod, spec: { ...pod.spec, containers: [{ name: 'agent', resources }] } };
};

describe('a container that ran out of memory', () => {
  test.each([
    { fact: 'has ended', status: { phase: 'Running', containerStatuses: [terminated('agent', 137, 'OOMKilled')] } },
    {
      fact: 'has ended, and its Pod failed',
      status: { phase: 'Failed', containerStatuses: [terminated('agent', 137, 'OOMKilled')] },
    },
    {
      fact: 'is restarted again and again',
      status: {
        phase: 'Running',
        containerStatuses: [
          {
            ...waiting('agent', 'CrashLoopBackOff'),
            lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
          },
        ],
      },
    },
  ])('and $fact is reported with its limit', ({ status }) => {
    const verdict = judgePod(limited(podView(status)), podUid);

    expect(verdict).toMatchObject({ kind: 'terminal', code: 'OutOfMemory' });
    expect(verdict.detail).toMatch(/137: OOMKilled; memory limit: 512Mi$/);
  });

  test.each([
    { fact: 'no resources', name: 'agent', spec: {} },
    { fact: 'no limit', name: 'agent', spec: { resources: {} } },
    { fact: 'no spec', name: 'injected', spec: {} },
  ])('and has $fact is reported as having exhausted its node', ({ name, spec }) => {
    const pod = podView({ phase: 'Running', containerStatuses: [terminated(name, 137, 'OOMKilled')] });
    const containers = [{ name: 'agent', ...spec }];

    expect(judgePod({ ...pod, spec: { ...pod.spec, containers } }, podUid).detail).toMatch(
      /memory limit: none, so its node ran out$/,
    );
  });
});

test('a Pod that outlived its activeDeadlineSeconds has a verdict with the number', () => {
  const pod = podView({ phase: 'Failed', reason: 'DeadlineExceeded', message: 'Pod was active on the node too long' });

  expect(judgePod({ ...pod, spec: { ...pod.spec, activeDeadlineSeconds: 90 } }, podUid)).toEqual({
    kind: 'terminal',
    code: 'PodLifetimeExceeded',
    detail: 'phase Failed; DeadlineExceeded; Pod was active on the node too long; activeDeadlineSeconds: 90',
    subject: { node: 'node-1' },
  });
});

test('a Pod that outlived a deadline which its spec does not have has a verdict without a number', () => {
  const pod = podView({ phase: 'Failed', reason: 'DeadlineExceeded' });

  expect(judgePod(pod, podUid)).toMatchObject({
    code: 'PodLifetimeExceeded',
    detail: 'phase Failed; DeadlineExceeded',
  });
});

test('the verdict on a queued Pod names its gates', () => {
  const condition = { type: 'PodScheduled', status: 'False', reason: 'SchedulingGated', message: 'gates' };
  const pod = podView({ phase: 'Pending', conditions: [condition] });
  const schedulingGates = [{ name: 'kueue.x-k8s.io/admission' }, { name: 'example.com/budget' }];

  expect(judgePod({ ...pod, spec: { ...pod.spec, schedulingGates } }, podUid)).toMatchObject({
    kind: 'wait',
    signal: 'SchedulingGated',
    detail: 'held by kueue.x-k8s.io/admission, example.com/budget; SchedulingGated: gates',
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

  test('no phase hides an ended container', () => {
    fc.assert(
      fc.property(anyPhase, (phase) => {
        const pod = podView({ phase, containerStatuses: [terminated('agent', 1)] });

        expect(judgePod(pod, podUid)).toMatchObject({ kind: 'terminal', code: 'ContainerTerminated' });
      }),
    );
  });

  test('an unknown waiting reason of a container is waited for', () => {
    const looksLikeTrouble = /^InvalidImageName$|^CrashLoopBackOff$|Error$|^Err|Image|Failed|Unavailable/;
    const anyReason = fc
      .oneof(fc.constantFrom('ContainerCreating', 'PodInitializing', 'Creating', 'Waiting'), fc.string())
      .filter((reason) => !looksLikeTrouble.test(reason));
    fc.assert(
      fc.property(anyReason, (reason) => {
        const pod = podView({ phase: 'Pending', containerStatuses: [waiting('agent', reason)] });

        expect(judgePod(pod, podUid).kind).toBe('wait');
      }),
    );
  });
});
