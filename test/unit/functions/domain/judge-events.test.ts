import { describe, expect, test } from '@jest/globals';
import { isEnd, judgeDisappearance, judgeEnd } from '../../../../functions/domain/judge-events.ts';
import { event } from '../../../support/event-view.ts';

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
      detail: `the Pod is gone: ${reason}: why`,
      subject: {},
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
    ).toEqual({ kind: 'relaunch', code: 'NodeLost', detail: 'the Pod is gone: NodeNotReady: why', subject: {} });
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
  const detail = 'phase Succeeded; container agent terminated with exit code 0: Completed';
  const succeeded = { kind: 'terminal', code: 'PodSucceeded', detail, subject: { node: 'node-1' } } as const;

  test('by its kubelet, which evicted it, was taken by infrastructure, however well they ended', () => {
    const events = [event('Killing', '2026-01-01T00:00:08Z'), event('Evicted', '2026-01-01T00:00:08Z')];

    expect(judgeEnd(succeeded, events)).toEqual({
      kind: 'relaunch',
      code: 'PodEvicted',
      detail: `Evicted: why; ${detail}`,
      subject: { node: 'node-1' },
    });
  });

  test('by its kubelet, as a hook failed, could not be started', () => {
    expect(judgeEnd(succeeded, [event('FailedPostStartHook', '2026-01-01T00:00:08Z')])).toMatchObject({
      kind: 'terminal',
      code: 'ContainerStartFailed',
      detail: `FailedPostStartHook: why; ${detail}`,
    });
  });

  test('by itself, after a hook of it had failed before it was started again, is what it says', () => {
    const ofAgent = { involvedObject: { uid: 'pod-uid-1', fieldPath: 'spec.containers{agent}' } };
    const failed = event('FailedPostStartHook', '2026-01-01T00:00:08Z', ofAgent);

    expect(judgeEnd(succeeded, [failed, event('Started', '2026-01-01T00:00:18Z', ofAgent)])).toBeUndefined();
  });

  test('after its hook failed could not be started, though it was in the same second, or another container was', () => {
    const of = (name: string) => ({ involvedObject: { uid: 'pod-uid-1', fieldPath: `spec.containers{${name}}` } });
    const events = [
      event('FailedPostStartHook', '2026-01-01T00:00:08Z', of('agent')),
      event('Started', '2026-01-01T00:00:08Z', of('agent')),
      event('Started', '2026-01-01T00:00:18Z', of('helper')),
    ];

    expect(judgeEnd(succeeded, events)).toMatchObject({ code: 'ContainerStartFailed' });
  });

  test('by themselves is what it says', () => {
    expect(judgeEnd(succeeded, [event('Started', '2026-01-01T00:00:05Z')])).toBeUndefined();
  });

  test.each(['ContainerTerminated', 'InitContainerFailed', 'PodFailed', 'PodSucceeded'] as const)('says %s', (code) => {
    expect(isEnd({ ...succeeded, code })).toBe(true);
  });

  test('is not one that used too much memory, or still comes', () => {
    expect(isEnd({ ...succeeded, code: 'OutOfMemory' })).toBe(false);
    expect(isEnd({ kind: 'wait', detail, subject: {} })).toBe(false);
  });
});
