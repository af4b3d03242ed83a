import { describe, expect, test } from '@jest/globals';
import { PendingError, TerminalError, TransientError } from '../../../../functions/domain/errors.ts';
import { AgentName } from '../../../../functions/domain/names.ts';
import { placementPace } from '../../../../functions/steps/look.ts';
import { freshSince, observationMs, withinDeadline } from '../../../../functions/steps/within-deadline.ts';

const deadline = {
  step: 'PollNodePort',
  sinceEpochMs: 1_000_000,
  seconds: 60,
  code: 'NodePortDeadlineExceeded',
} as const;
const subject = { launchId: 'github-1-2-1', service: 'davit-github-1-2-1' };
const pending = new PendingError('NodePortPending', 'the Service has no nodePort', subject);
const transient = new TransientError('ClusterUnreachable', 'connect ECONNREFUSED', subject);

function attemptAt(nowEpochMs: number, error: Error): Promise<never> {
  return withinDeadline(
    deadline,
    () => nowEpochMs,
    () => Promise.reject(error),
  );
}

test.each([pending, transient])('before the deadline, a $name is thrown on as it is', async (error) => {
  await expect(attemptAt(1_059_999, error)).rejects.toBe(error);
});

test.each([pending, transient])(
  "from the deadline on, a $name is terminal, with the deadline's code",
  async (error) => {
    await expect(attemptAt(1_060_000, error)).rejects.toMatchObject({
      name: 'TerminalError',
      code: 'NodePortDeadlineExceeded',
      subject,
      cause: error,
    });
  },
);

test('the error says which step, how long, and what was said at last', async () => {
  await expect(attemptAt(1_063_400, pending)).rejects.toThrow(
    'NodePortDeadlineExceeded: PollNodePort gave up after 63 s of 60 s; at last: the Service has no nodePort ' +
      '(launch github-1-2-1, service davit-github-1-2-1)',
  );
});

test.each([
  { fact: 'a terminal error', error: new TerminalError('PodFailed', 'phase Failed') },
  { fact: 'a defect', error: new TypeError('x is undefined') },
])('$fact passes through, before and after the deadline', async ({ error }) => {
  await expect(attemptAt(1_000_000, error)).rejects.toBe(error);
  await expect(attemptAt(9_000_000, error)).rejects.toBe(error);
});

test('an attempt that works is good even after the deadline', async () => {
  const output = await withinDeadline(
    deadline,
    () => 9_000_000,
    async () => 30_080,
  );

  expect(output).toBe(30_080);
});

describe('an attempt observes', () => {
  const agent = { agentName: AgentName.parse('davit-github-1-2-1') };
  const observedMs = (nowEpochMs: number, pauseSeconds?: number) =>
    observationMs(deadline, placementPace, agent, pauseSeconds, nowEpochMs);

  test('for 20 s while the deadline is far', () => {
    expect(observedMs(1_000_000)).toBe(20_000);
    expect(observedMs(1_000_000, 11)).toBe(20_000);
  });

  test('until the deadline when it is near', () => {
    expect(observedMs(1_038_000)).toBe(22_000);
    expect(observedMs(1_057_500)).toBe(2500);
  });

  test('not at all when it has passed', () => {
    expect(observedMs(1_060_000)).toBe(0);
    expect(observedMs(9_000_000, 11)).toBe(0);
  });
});

describe('what happened since an earlier step', () => {
  test('is asked for while that step is less than 5 s ago', () => {
    expect(freshSince('42', 1_000_000, 1_004_999)).toEqual({ since: '42' });
  });

  test('is left alone from then on: a retry never judges a past that is over', () => {
    expect(freshSince('42', 1_000_000, 1_005_000)).toEqual({});
  });
});
