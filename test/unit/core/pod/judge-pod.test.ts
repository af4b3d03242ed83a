import * as fc from 'fast-check';
import type { TerminalCode } from '../../../../core/errors/error-codes.ts';
import type { ErrorSubject } from '../../../../core/errors/errors.ts';
import { judgePod } from '../../../../core/pod/judge-pod.ts';
import type { ContainerStatusView, PodView } from '../../../../core/pod/kubernetes-objects.ts';
import type { PodVerdict } from '../../../../core/pod/pod-verdict.ts';
import { podUid, podView, running, terminated, waiting } from '../../../support/pod-view.ts';

const onNode = { node: 'node-1' };
const about = (container: string) => ({ ...onNode, container, image: `registry.example/${container}:1` });
const agentAbout = about('agent');

/** A Pod whose regular containers have these states. */
function inPhase(phase: string, ...containerStatuses: ContainerStatusView[]): PodView {
  return podView({ phase, containerStatuses });
}

/** The same, with the state of an init container. */
function withInit(phase: string, init: ContainerStatusView, ...containerStatuses: ContainerStatusView[]): PodView {
  return podView({ phase, initContainerStatuses: [init], containerStatuses });
}

/** The Pod with a second regular container. */
function withHelper(pod: PodView): PodView {
  return { ...pod, spec: { ...pod.spec, containers: [...pod.spec.containers, { name: 'helper' }] } };
}

/** The verdict that the launch waits, about the Pod as a whole. */
function waits(detail: string): PodVerdict {
  return { kind: 'wait', detail, subject: onNode };
}

/** The verdict that the launch fails. */
function fails(code: TerminalCode, detail: string, subject: ErrorSubject = agentAbout): PodVerdict {
  return { kind: 'terminal', code, detail, subject };
}

/** The verdict that somebody has deleted the Pod. */
function deleted(detail: string): PodVerdict {
  return { kind: 'relaunch', code: 'DeletedExternally', detail, subject: {} };
}

const unscheduled = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' };
const outOfCpu = { phase: 'Failed', reason: 'OutOfcpu' };
const deletion = { deletionTimestamp: '2026-01-01T00:00:09Z' };

const rows: [fact: string, pod: PodView | undefined, verdict: PodVerdict][] = [
  ['a missing Pod was deleted from outside', undefined, deleted('the Pod is gone')],
  [
    'a Pod of another uid has replaced ours',
    podView({ phase: 'Running' }, { uid: 'pod-uid-2' }),
    deleted('Pod davit-x was replaced: uid pod-uid-2, not pod-uid-1'),
  ],
  [
    'a Pod that is being deleted is over, however well it runs',
    podView({ phase: 'Running' }, deletion),
    deleted('Pod davit-x is being deleted since 2026-01-01T00:00:09Z'),
  ],
  [
    "phase Failed is over, with the reason, the message and each container's end",
    podView({
      ...outOfCpu,
      message: "Pod was rejected: Node didn't have enough resource: cpu",
      containerStatuses: [terminated('agent', 137, 'Error')],
    }),
    fails(
      'PodFailed',
      "phase Failed; OutOfcpu; Pod was rejected: Node didn't have enough resource: cpu; container agent terminated with exit code 137: Error",
      onNode,
    ),
  ],
  [
    "phase Failed without a reason of its own is reported as its container's end, as a moment before",
    inPhase('Failed', terminated('agent', 1, 'Error')),
    fails('ContainerTerminated', 'container agent terminated with exit code 1: Error'),
  ],
  [
    'an empty message of a failed Pod is left out',
    podView({ ...outOfCpu, message: '' }),
    fails('PodFailed', 'phase Failed; OutOfcpu', onNode),
  ],
  ['phase Failed without a reason is over', podView({ phase: 'Failed' }), fails('PodFailed', 'phase Failed', onNode)],
  [
    'phase Failed is over even while an image has its grace',
    inPhase('Failed', waiting('agent', 'ErrImagePull')),
    fails('PodFailed', 'phase Failed; container agent waiting: ErrImagePull', onNode),
  ],
  [
    'phase Succeeded is over: the agent ended before it connected',
    inPhase('Succeeded', terminated('agent', 0, 'Completed')),
    fails('PodSucceeded', 'phase Succeeded; container agent terminated with exit code 0: Completed', onNode),
  ],
  [
    'phase Succeeded is over, whatever its containers say',
    inPhase('Succeeded', running('agent')),
    fails('PodSucceeded', 'phase Succeeded; container agent running', onNode),
  ],
  [
    'an image name that cannot be parsed is terminal',
    inPhase('Pending', waiting('agent', 'InvalidImageName', 'no "a b"')),
    fails('ImageNameInvalid', 'InvalidImageName: no "a b"'),
  ],
  [
    'an init container whose image cannot be pulled has grace, and its own image is named',
    withInit('Pending', waiting('fetch', 'ErrImagePull')),
    {
      kind: 'grace',
      grace: 'imagePullSeconds',
      code: 'ImagePullFailed',
      detail: 'ErrImagePull',
      subject: about('fetch'),
    },
  ],
  [
    'a container that keeps crashing is terminal, and the detail has its earlier exit code',
    inPhase('Running', {
      ...waiting('agent', 'CrashLoopBackOff', 'back-off 10s'),
      lastState: { terminated: { exitCode: 3 } },
    }),
    fails('ContainerTerminated', 'container agent waiting: CrashLoopBackOff: back-off 10s, before that exit code 3'),
  ],
  [
    'a Pod whose containers all ended well has succeeded, before its phase says so',
    inPhase('Pending', terminated('agent', 0, 'Completed')),
    fails('PodSucceeded', 'phase Pending; container agent terminated with exit code 0: Completed', onNode),
  ],
  [
    'a regular container that ended well is over while another one runs',
    withHelper(inPhase('Running', terminated('agent', 0), running('helper'))),
    fails('ContainerTerminated', 'container agent terminated with exit code 0'),
  ],
  [
    'a container that the runtime could not start is reported as such, even if it is not retried',
    inPhase('Failed', terminated('agent', 128, 'StartError')),
    fails('ContainerStartFailed', 'container agent terminated with exit code 128: StartError'),
  ],
  [
    'a failed init container is terminal, and reported as such',
    withInit('Pending', terminated('fetch', 2, 'Error')),
    fails('InitContainerFailed', 'container fetch terminated with exit code 2: Error', about('fetch')),
  ],
  [
    'a completed init container is waited for, with the other containers',
    withInit('Pending', terminated('fetch', 0), waiting('agent', 'PodInitializing')),
    waits('phase Pending; container fetch terminated with exit code 0; container agent waiting: PodInitializing'),
  ],
  [
    'a completed init container is waited for, also while the other containers have no status',
    withInit('Pending', terminated('fetch', 0)),
    waits('phase Pending; container fetch terminated with exit code 0'),
  ],
  [
    'a container without a state is waited for',
    inPhase('Pending', { name: 'agent' }),
    waits('phase Pending; container agent in no state'),
  ],
  [
    'a failed native sidecar is waited for: the kubelet restarts it',
    withInit('Running', terminated('proxy', 1), running('agent')),
    waits('phase Running; container proxy terminated with exit code 1; container agent running'),
  ],
  [
    'a native sidecar that ended again is in a crash loop, whatever its kubelet calls it',
    withInit('Pending', { ...terminated('proxy', 5, 'Error'), restartCount: 1 }, waiting('agent', 'PodInitializing')),
    fails('ContainerTerminated', 'container proxy terminated with exit code 5: Error', about('proxy')),
  ],
  [
    'a native sidecar that ended with its agent is not the cause',
    withInit('Running', { ...terminated('proxy', 143, 'Error'), restartCount: 1 }, terminated('agent', 3, 'Error')),
    fails('ContainerTerminated', 'container agent terminated with exit code 3: Error'),
  ],
  [
    'a native sidecar that keeps crashing is terminal',
    withInit('Pending', waiting('proxy', 'CrashLoopBackOff')),
    fails('ContainerTerminated', 'container proxy waiting: CrashLoopBackOff', about('proxy')),
  ],
  [
    "an unschedulable Pod is waited for, and the scheduler's words are reported",
    podView({ phase: 'Pending', conditions: [{ ...unscheduled, message: '0/3 nodes are available: 3 taints.' }] }),
    { kind: 'wait', signal: 'Unschedulable', detail: 'Unschedulable: 0/3 nodes are available: 3 taints.', subject: {} },
  ],
  [
    'only the condition of the scheduler is a signal',
    podView({
      phase: 'Pending',
      conditions: [
        { type: 'ContainersReady', status: 'False', reason: 'ContainersNotReady' },
        { type: 'PodScheduled', status: 'True' },
      ],
    }),
    waits('phase Pending'),
  ],
  [
    'a scheduler that gives no reason sends no signal',
    podView({ phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', message: 'later' }] }),
    waits('phase Pending'),
  ],
  [
    'a Pod in a queue is waited for',
    podView({ phase: 'Pending', conditions: [{ ...unscheduled, reason: 'SchedulingGated' }] }),
    { kind: 'wait', signal: 'SchedulingGated', detail: 'SchedulingGated', subject: {} },
  ],
  [
    'a Pending Pod whose containers run is waited for (JENKINS-68649)',
    inPhase('Pending', running('agent')),
    waits('phase Pending; container agent running'),
  ],
  ['a Pod without a status is waited for', { ...podView(), status: undefined }, waits('phase empty')],
];

test.each(rows)('%s', (_fact, pod, verdict) => {
  expect(judgePod(pod, podUid)).toEqual(verdict);
});

describe('the graver of two findings is the verdict', () => {
  const ended = terminated('agent', 1);

  test.each<[fact: string, pod: PodView, detail: RegExp]>([
    ['another uid before a deletion', podView({ phase: 'Failed' }, { uid: 'pod-uid-2', ...deletion }), /was replaced/],
    ['a deletion before the phase', podView({ phase: 'Failed' }, deletion), /is being deleted/],
    [
      'a phase with its own reason before a container',
      podView({ ...outOfCpu, containerStatuses: [ended] }),
      /^phase Failed; OutOfcpu/,
    ],
    [
      'an ended container before one whose image may yet be pulled, in any order',
      inPhase('Pending', waiting('helper', 'ErrImagePull'), ended),
      /^container agent terminated/,
    ],
    [
      'a container before the scheduler',
      podView({ containerStatuses: [waiting('agent', 'ImagePullBackOff')], conditions: [unscheduled] }),
      /^ImagePullBackOff/,
    ],
  ])('%s', (_fact, pod, detail) => {
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
    const pod = podView(status, deletion);

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
    const pod = inPhase('Pending', waiting('agent', reason, 'why'));

    expect(judgePod(pod, podUid)).toEqual({
      kind: 'grace',
      grace,
      code,
      detail: `${reason}: why`,
      subject: agentAbout,
    });
  });

  test.each(['ErrImageNeverPull', 'ImageInspectError'])("%s names the image's pull policy, too", (reason) => {
    const pod = inPhase('Pending', waiting('agent', reason, 'why'));

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
    { fact: 'has ended', pod: inPhase('Running', terminated('agent', 137, 'OOMKilled')) },
    { fact: 'has ended, and its Pod failed', pod: inPhase('Failed', terminated('agent', 137, 'OOMKilled')) },
    {
      fact: 'is restarted again and again',
      pod: inPhase('Running', {
        ...waiting('agent', 'CrashLoopBackOff'),
        lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
      }),
    },
  ])('and $fact is reported with its limit', ({ pod }) => {
    const verdict = judgePod(limited(pod), podUid);

    expect(verdict).toMatchObject({ kind: 'terminal', code: 'OutOfMemory' });
    expect(verdict.detail).toMatch(/137: OOMKilled; memory limit: 512Mi$/);
  });

  test.each([
    { fact: 'no resources', name: 'agent', spec: {} },
    { fact: 'no limit', name: 'agent', spec: { resources: {} } },
    { fact: 'no spec', name: 'injected', spec: {} },
  ])('and has $fact is reported as having exhausted its node', ({ name, spec }) => {
    const pod = inPhase('Running', terminated(name, 137, 'OOMKilled'));
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
        const pod = inPhase('Pending', waiting('agent', reason));

        expect(judgePod(pod, podUid).kind).toBe('wait');
      }),
    );
  });
});
