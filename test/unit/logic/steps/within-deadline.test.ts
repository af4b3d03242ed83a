import { PendingError, TerminalError, TransientError } from '../../../../core/errors/errors.ts';
import { AgentName } from '../../../../core/launch/names.ts';
import { placementPace } from '../../../../logic/steps/look.ts';
import { freshSince, observationMs, withinDeadline } from '../../../../logic/steps/within-deadline.ts';

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

test.each([pending, transient])('before the deadline, a $name passes unchanged', async (error) => {
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

test('the error has the step, the duration, and the last detail', async () => {
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

  test('not at all after it', () => {
    expect(observedMs(1_060_000)).toBe(0);
    expect(observedMs(9_000_000, 11)).toBe(0);
  });
});

describe('the version to observe from', () => {
  test('is that of an earlier step while that step is less than 5 s ago', () => {
    expect(freshSince('42', 1_000_000, 1_004_999)).toEqual({ since: '42' });
  });

  test('is none after that, because a retry never judges an old state', () => {
    expect(freshSince('42', 1_000_000, 1_005_000)).toEqual({});
  });
});
