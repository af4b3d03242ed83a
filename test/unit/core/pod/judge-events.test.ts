import { isEnd, judgeDisappearance, judgeEnd } from '../../../../core/pod/judge-events.ts';
import { event } from '../../../support/event-view.ts';

describe('a deleted Pod', () => {
  test.each([
    { reason: 'Preempted', code: 'PodPreempted' },
    { reason: 'Evicted', code: 'PodEvicted' },
    { reason: 'TaintManagerEviction', code: 'NodeLost' },
    { reason: 'NodeShutdown', code: 'NodeLost' },
  ])('with the Event $reason was taken by infrastructure: $code', ({ reason, code }) => {
    const events = [event('Killing', '2026-01-01T00:00:08Z'), event(reason, '2026-01-01T00:00:07Z')];

    expect(judgeDisappearance(events)).toEqual({
      kind: 'relaunch',
      code,
      detail: `the Pod is gone: ${reason}: why`,
      subject: {},
    });
  });

  test('whose eviction was cancelled was deleted from outside', () => {
    const message = 'Cancelling deletion of Pod davit-agents/davit-x';

    expect(judgeDisappearance([event('TaintManagerEviction', '2026-01-01T00:00:07Z', { message })])).toBeUndefined();
  });

  test('whose node was last reported as not ready was lost with it', () => {
    const cancelled = { message: 'Cancelling deletion of Pod davit-agents/davit-x' };

    expect(
      judgeDisappearance([
        event('Started', '2026-01-01T00:00:05Z'),
        event('TaintManagerEviction', '2026-01-01T00:01:14Z', cancelled),
        event('NodeNotReady', '2026-01-01T00:00:13Z'),
      ]),
    ).toEqual({ kind: 'relaunch', code: 'NodeLost', detail: 'the Pod is gone: NodeNotReady: why', subject: {} });
  });

  test('whose node answered again before its containers were killed was deleted from outside', () => {
    const events = [event('NodeNotReady', '2026-01-01T00:00:13Z'), event('Killing', '2026-01-01T00:00:40Z')];

    expect(judgeDisappearance(events)).toBeUndefined();
  });

  test('without such an Event was deleted from outside', () => {
    expect(judgeDisappearance([event('Killing', '2026-01-01T00:00:08Z')])).toBeUndefined();
  });
});

describe('a Pod whose containers have ended', () => {
  const detail = 'phase Succeeded; container agent terminated with exit code 0: Completed';
  const succeeded = { kind: 'terminal', code: 'PodSucceeded', detail, subject: { node: 'node-1' } } as const;

  test('was taken by infrastructure when its kubelet evicted it, whatever the exit code', () => {
    const events = [event('Killing', '2026-01-01T00:00:08Z'), event('Evicted', '2026-01-01T00:00:08Z')];

    expect(judgeEnd(succeeded, events)).toEqual({
      kind: 'relaunch',
      code: 'PodEvicted',
      detail: `Evicted: why; ${detail}`,
      subject: { node: 'node-1' },
    });
  });

  test('could not be started when its kubelet killed it after a failed hook', () => {
    expect(judgeEnd(succeeded, [event('FailedPostStartHook', '2026-01-01T00:00:08Z')])).toMatchObject({
      kind: 'terminal',
      code: 'ContainerStartFailed',
      detail: `FailedPostStartHook: why; ${detail}`,
    });
  });

  test('keeps its own verdict when the container started again after a failed hook', () => {
    const ofAgent = { involvedObject: { uid: 'pod-uid-1', fieldPath: 'spec.containers{agent}' } };
    const failed = event('FailedPostStartHook', '2026-01-01T00:00:08Z', ofAgent);

    expect(judgeEnd(succeeded, [failed, event('Started', '2026-01-01T00:00:18Z', ofAgent)])).toBeUndefined();
  });

  test('could not be started when no later start of the same container follows the failed hook', () => {
    const of = (name: string) => ({ involvedObject: { uid: 'pod-uid-1', fieldPath: `spec.containers{${name}}` } });
    const events = [
      event('FailedPostStartHook', '2026-01-01T00:00:08Z', of('agent')),
      event('Started', '2026-01-01T00:00:08Z', of('agent')),
      event('Killing', '2026-01-01T00:00:18Z', of('agent')),
      event('Started', '2026-01-01T00:00:18Z', of('helper')),
    ];

    expect(judgeEnd(succeeded, events)).toMatchObject({ code: 'ContainerStartFailed' });
  });

  test('keeps its own verdict when no Event explains the end', () => {
    expect(judgeEnd(succeeded, [event('Started', '2026-01-01T00:00:05Z')])).toBeUndefined();
  });

  test.each(['ContainerTerminated', 'InitContainerFailed', 'PodFailed', 'PodSucceeded'] as const)(
    'has the code %s',
    (code) => {
      expect(isEnd({ ...succeeded, code })).toBe(true);
    },
  );

  test('does not have the code OutOfMemory, or a wait', () => {
    expect(isEnd({ ...succeeded, code: 'OutOfMemory' })).toBe(false);
    expect(isEnd({ kind: 'wait', detail, subject: {} })).toBe(false);
  });
});
