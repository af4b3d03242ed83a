import { describe, expect, test } from '@jest/globals';
import {
  isEnd,
  isHeldUp,
  judgeDisappearance,
  judgeEnd,
  judgeHoldUp,
} from '../../../../functions/domain/judge-events.ts';
import { EventView } from '../../../../functions/domain/kubernetes-objects.ts';
import { podView, running, terminated, waiting } from '../../../support/pod-view.ts';

function event(reason: string, lastTimestamp: string | null, others: object = {}): EventView {
  const involvedObject = { kind: 'Pod', name: 'davit-x', uid: 'pod-uid-1' };
  return EventView.parse({ type: 'Warning', reason, message: 'why', involvedObject, lastTimestamp, ...others });
}

const creating = podView({ phase: 'Pending', containerStatuses: [waiting('agent', 'ContainerCreating')] });

describe('a Pod is held up before its containers', () => {
  test.each([
    { fact: 'while they wait to be created', isHeld: true, pod: creating },
    { fact: 'while nothing is said of them', isHeld: true, pod: podView({ phase: 'Pending' }) },
    { fact: 'no more once one runs', isHeld: false, pod: podView({ containerStatuses: [running('agent')] }) },
    {
      fact: 'no more once an init container has run',
      isHeld: false,
      pod: podView({ initContainerStatuses: [terminated('fetch', 0)] }),
    },
    {
      fact: 'no more once one has run before',
      isHeld: false,
      pod: podView({
        containerStatuses: [{ ...waiting('agent', 'Restarting'), lastState: { terminated: { exitCode: 1 } } }],
      }),
    },
    {
      fact: 'not while it has no node',
      isHeld: false,
      pod: { ...creating, spec: { ...creating.spec, nodeName: undefined } },
    },
  ])('$fact', ({ isHeld, pod }) => {
    expect(isHeldUp(pod)).toBe(isHeld);
  });

  test('by its sandbox, which has its grace, in the event’s words', () => {
    expect(judgeHoldUp(creating, [event('FailedCreatePodSandBox', '2026-01-01T00:00:05Z')])).toEqual({
      kind: 'grace',
      grace: 'containerSeconds',
      code: 'ContainerStartFailed',
      says: 'FailedCreatePodSandBox: why',
      about: { node: 'node-1' },
    });
  });

  test.each(['FailedMount', 'FailedAttachVolume', 'NetworkNotReady'])('by %s, which is waited for', (reason) => {
    expect(judgeHoldUp(creating, [event(reason, '2026-01-01T00:00:05Z')])).toMatchObject({
      kind: 'wait',
      signal: reason,
      says: `${reason}: why`,
    });
  });

  test('by what was seen last, wherever its Event keeps the time', () => {
    const events = [
      event('FailedAttachVolume', '2026-01-01T00:00:05Z'),
      event('FailedMount', null, { series: { count: 3, lastObservedTime: '2026-01-01T00:00:09Z' } }),
      event('FailedCreatePodSandBox', null, { eventTime: '2026-01-01T00:00:07Z' }),
      event('Scheduled', '2026-01-01T00:00:10Z'),
    ];

    expect(judgeHoldUp(creating, events)).toMatchObject({ signal: 'FailedMount' });
  });

  test('by nothing that Events know of', () => {
    expect(judgeHoldUp(creating, [event('Scheduled', '2026-01-01T00:00:05Z')])).toBeUndefined();
    expect(judgeHoldUp(creating, [])).toBeUndefined();
  });
});

describe('a Pod that is gone', () => {
  test.each([
    { reason: 'Preempted', code: 'PodPreempted' },
    { reason: 'Evicted', code: 'PodEvicted' },
    { reason: 'TaintManagerEviction', code: 'NodeLost' },
    { reason: 'NodeShutdown', code: 'NodeLost' },
  ])('and left the Event $reason was taken by infrastructure: $code', ({ reason, code }) => {
    const events = [event('Killing', '2026-01-01T00:00:08Z'), event(reason, '2026-01-01T00:00:07Z')];

    expect(judgeDisappearance(events)).toEqual({
      kind: 'relaunch',
      code,
      says: `the Pod is gone: ${reason}: why`,
      about: {},
    });
  });

  test('and was once to be taken, but was not, was taken by somebody else', () => {
    const message = 'Cancelling deletion of Pod davit-agents/davit-x';

    expect(judgeDisappearance([event('TaintManagerEviction', '2026-01-01T00:00:07Z', { message })])).toBeUndefined();
  });

  test('and whose node was not heard of at last was lost with it', () => {
    const cancelled = { message: 'Cancelling deletion of Pod davit-agents/davit-x' };

    expect(
      judgeDisappearance([
        event('Started', '2026-01-01T00:00:05Z'),
        event('TaintManagerEviction', '2026-01-01T00:01:14Z', cancelled),
        event('NodeNotReady', '2026-01-01T00:00:13Z'),
      ]),
    ).toEqual({ kind: 'relaunch', code: 'NodeLost', says: 'the Pod is gone: NodeNotReady: why', about: {} });
  });

  test('and whose node was heard of again, as its containers were ended, was taken by somebody else', () => {
    const events = [event('NodeNotReady', '2026-01-01T00:00:13Z'), event('Killing', '2026-01-01T00:00:40Z')];

    expect(judgeDisappearance(events)).toBeUndefined();
  });

  test('and left no such Event was taken by somebody else', () => {
    expect(judgeDisappearance([event('Killing', '2026-01-01T00:00:08Z')])).toBeUndefined();
  });
});

describe('a Pod whose containers have ended', () => {
  const says = 'phase Succeeded; container agent terminated with exit code 0: Completed';
  const succeeded = { kind: 'terminal', code: 'PodSucceeded', says, about: { node: 'node-1' } } as const;

  test('by its kubelet, which evicted it, was taken by infrastructure, however well they ended', () => {
    const events = [event('Killing', '2026-01-01T00:00:08Z'), event('Evicted', '2026-01-01T00:00:08Z')];

    expect(judgeEnd(succeeded, events)).toEqual({
      kind: 'relaunch',
      code: 'PodEvicted',
      says: `Evicted: why; ${says}`,
      about: { node: 'node-1' },
    });
  });

  test('by its kubelet, as a hook failed, could not be started', () => {
    expect(judgeEnd(succeeded, [event('FailedPostStartHook', '2026-01-01T00:00:08Z')])).toMatchObject({
      kind: 'terminal',
      code: 'ContainerStartFailed',
      says: `FailedPostStartHook: why; ${says}`,
    });
  });

  test('by themselves is what it says', () => {
    expect(judgeEnd(succeeded, [event('Started', '2026-01-01T00:00:05Z')])).toBeUndefined();
  });

  test.each(['ContainerTerminated', 'InitContainerFailed', 'PodFailed', 'PodSucceeded'] as const)('says %s', (code) => {
    expect(isEnd({ ...succeeded, code })).toBe(true);
  });

  test('is not one that used too much memory, or still comes', () => {
    expect(isEnd({ ...succeeded, code: 'OutOfMemory' })).toBe(false);
    expect(isEnd({ kind: 'wait', says, about: {} })).toBe(false);
  });
});
