import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { cleanUpQuietMs, judgeLaunch, type LaunchSights } from '../../../../functions/sweep/judge-launch.ts';
import { endingOf, epochMs, planOf, recordOf, signalOf, tombstoneOf } from '../../../contract/launch-fixtures.ts';

const kept = { is: 'kept' };
const found = (reason: string) => ({ is: 'found', reason });

function judge(record: LaunchRecord, atSeconds: number, sights: Partial<LaunchSights> = {}) {
  const seen: LaunchSights = { execution: { status: 'RUNNING' }, agent: 'there', ...sights };
  return judgeLaunch(record, seen, epochMs + atSeconds * 1000, 60);
}

describe('a launching launch', () => {
  const launching = recordOf('job');

  test('is kept while its execution runs', () => {
    expect(judge(launching, 7000)).toEqual(kept);
  });

  test('without an execution is left to its starter for the grace, and found after that', () => {
    expect(judge(launching, 59, { execution: undefined })).toEqual(kept);
    expect(judge(launching, 60, { execution: undefined })).toEqual(found('NeverStarted'));
  });

  test.each(['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED'] as const)(
    'whose execution is %s is left to the event of that end for the grace, and found after that',
    (status) => {
      expect(judge(launching, 59, { execution: { status } })).toEqual(kept);
      expect(judge(launching, 60, { execution: { status } })).toEqual(found('ExecutionOver'));
    },
  );

  test('has expired an hour after all of its deadlines, whether its execution runs or not', () => {
    const plan = planOf('job', { deadlines: { ...planOf('job').deadlines, quotaSeconds: 1000 } });
    const expiresAtSeconds = Object.values(plan.deadlines).reduce((sum, seconds) => sum + seconds, 3600);
    const record = recordOf('job', { plan });

    expect(judge(record, expiresAtSeconds - 1)).toEqual(kept);
    expect(judge(record, expiresAtSeconds)).toEqual(found('LaunchExpired'));
    expect(judge(record, expiresAtSeconds, { execution: undefined })).toEqual(found('LaunchExpired'));
  });

  test('counts its time anew after a relaunch', () => {
    const plan = planOf('job', { generation: 2, agentName: 'davit-job-r2', startedAtEpochMs: epochMs + 7_000_000 });

    expect(judge(recordOf('job', { plan }), 10_000)).toEqual(kept);
  });
});

describe('a launch with a connected agent', () => {
  const connectedAtEpochMs = epochMs + 100_000;
  const connected = (plan: Parameters<typeof planOf>[1] = {}) =>
    recordOf('job', { status: 'connected', connectedAtEpochMs, plan: planOf('job', plan) });

  test('is kept, whatever the state of its execution', () => {
    for (const status of ['RUNNING', 'SUCCEEDED', 'ABORTED'] as const) {
      expect(judge(connected(), 86_400, { execution: { status } })).toEqual(kept);
    }
    expect(judge(connected(), 86_400, { execution: undefined })).toEqual(kept);
  });

  test('may live as long as its plan says, since it connected', () => {
    const record = connected({ maxAgentLifetimeSeconds: 3600 });

    expect(judge(record, 3699)).toEqual(kept);
    expect(judge(record, 3700)).toEqual(found('AgentLifetimeExceeded'));
    expect(judge(record, 3700, { agent: 'unknown' })).toEqual(found('AgentLifetimeExceeded'));
  });

  test('is over a day before its record expires when its plan has no lifetime', () => {
    const thirteenDays = 13 * 24 * 3600;

    expect(judge(connected(), 100 + thirteenDays - 1)).toEqual(kept);
    expect(judge(connected(), 100 + thirteenDays)).toEqual(found('AgentLifetimeExceeded'));
  });

  test('waits for its `completed` after its agent has exited, when its plan has no time for that', () => {
    expect(judge(connected(), 86_400, { agent: 'exited' })).toEqual(kept);
  });

  test('is found when its agent has been gone for the time in its plan', () => {
    const record = connected({ removeExitedAfterSeconds: 300 });
    const signal = signalOf({ code: 'AgentExited', sinceEpochMs: epochMs + 1_000_000 });

    expect(judge(record, 1000, { agent: 'exited' })).toEqual({ is: 'spared', why: 'AgentJustExited' });
    expect(judge({ ...record, signal }, 1299, { agent: 'exited' })).toEqual({ is: 'spared', why: 'AgentJustExited' });
    expect(judge({ ...record, signal }, 1300, { agent: 'exited' })).toEqual(found('AgentExited'));
  });

  test("is found at once when its agent's Pod is gone, whatever the plan says", () => {
    expect(judge(connected(), 10, { agent: 'gone' })).toEqual(found('AgentExited'));
    expect(judge(connected({ removeExitedAfterSeconds: 3600 }), 10, { agent: 'gone' })).toEqual(found('AgentExited'));
  });

  test('is found at once after its agent has exited when the plan says 0 s', () => {
    expect(judge(connected({ removeExitedAfterSeconds: 0 }), 1000, { agent: 'exited' })).toEqual(found('AgentExited'));
  });

  test('is spared when its signal is not that of an exited agent', () => {
    const record = { ...connected({ removeExitedAfterSeconds: 300 }), signal: signalOf() };

    expect(judge(record, 5000, { agent: 'exited' })).toEqual({ is: 'spared', why: 'AgentJustExited' });
  });

  test.each(['there', 'unknown'] as const)('is kept while its agent is %s, whatever was seen before', (agent) => {
    const signal = signalOf({ code: 'AgentExited' });

    expect(judge({ ...connected({ removeExitedAfterSeconds: 300 }), signal }, 5000, { agent })).toEqual(kept);
  });
});

function ended(by: string, more: Partial<LaunchRecord> = {}): LaunchRecord {
  return recordOf('job', { status: 'cleaning', ending: endingOf({ by, atEpochMs: epochMs + 100_000 }), ...more });
}

describe('a launch in clean-up', () => {
  test('is left to its clean-up for the grace, and found after that', () => {
    expect(judge(ended('DELETE /launches'), 159)).toEqual(kept);
    expect(judge(ended('DELETE /launches'), 160)).toEqual(found('CleanUpUnfinished'));
  });

  test('is kept while the execution that cleans it up runs', () => {
    expect(judge(ended('the state machine'), 9000)).toEqual(kept);
    expect(judge(ended('the state machine'), 9000, { execution: { status: 'FAILED' } })).toEqual(
      found('CleanUpUnfinished'),
    );
    expect(judge(ended('the state machine'), 9000, { execution: undefined })).toEqual(found('CleanUpUnfinished'));
  });

  test.each([
    { what: 'the grace, at first', askedAtSeconds: 100, quietSeconds: 60 },
    { what: 'as long as the clean-up has failed until then', askedAtSeconds: 400, quietSeconds: 300 },
    { what: 'a quarter of an hour, at most', askedAtSeconds: 9000, quietSeconds: 900 },
  ])('gets no new request for $what', ({ askedAtSeconds, quietSeconds }) => {
    const record = ended('DELETE /launches', { cleanUpAskedAtEpochMs: epochMs + askedAtSeconds * 1000 });

    expect(cleanUpQuietMs(record, 60)).toBe(quietSeconds * 1000);
    expect(judge(record, askedAtSeconds + quietSeconds - 1)).toEqual(kept);
    expect(judge(record, askedAtSeconds + quietSeconds)).toEqual(found('CleanUpUnfinished'));
  });

  test('is found at once without a grace', () => {
    const record = ended('DELETE /launches', { cleanUpAskedAtEpochMs: epochMs + 5_000_000 });

    expect(judgeLaunch(record, { execution: undefined, agent: 'unknown' }, epochMs + 5_000_000, 0)).toEqual(
      found('CleanUpUnfinished'),
    );
  });
});

describe('a launch whose Pod is held', () => {
  const diagnostics = { atEpochMs: epochMs, events: [], unread: [] };
  const held = (overrides: Partial<LaunchRecord> = {}) =>
    recordOf('job', {
      status: 'cleaning',
      ending: endingOf({ atEpochMs: epochMs }),
      hold: { untilEpochMs: epochMs + 1_000_000 },
      diagnostics,
      ...overrides,
    });

  test('is kept until the time is over, and found at once after that', () => {
    expect(judge(held(), 999)).toEqual(kept);
    expect(judge(held(), 1000)).toEqual(found('CleanUpUnfinished'));
    const asked = held({ cleanUpAskedAtEpochMs: epochMs + 999_000 });
    expect(judge(asked, 1000)).toEqual(found('CleanUpUnfinished'));
  });

  test('is found after the grace if no clean-up has looked at the Pod: there may be none', () => {
    const { diagnostics: _diagnostics, ...unseen } = held();

    expect(judge(unseen, 59, { execution: undefined })).toEqual(kept);
    expect(judge(unseen, 60, { execution: undefined })).toEqual(found('CleanUpUnfinished'));
  });

  test('is found after the grace if the Pod is gone, and kept while the sweep has not looked', () => {
    expect(judge(held(), 59, { execution: undefined, agent: 'gone' })).toEqual(kept);
    expect(judge(held(), 60, { execution: undefined, agent: 'gone' })).toEqual(found('CleanUpUnfinished'));
    for (const agent of ['there', 'exited', 'unknown'] as const)
      expect(judge(held(), 60, { execution: undefined, agent })).toEqual(kept);
  });

  test('counts the pauses between two requests from the end of the hold', () => {
    const hold = { untilEpochMs: epochMs + 1_000_000, releasedAtEpochMs: epochMs + 1_000_000 };
    const released = held({ hold, cleanUpAskedAtEpochMs: epochMs + 1_000_000 });

    expect(judge(released, 1059)).toEqual(kept);
    expect(judge(released, 1060)).toEqual(found('CleanUpUnfinished'));
  });
});

test('a launch that is over is kept', () => {
  for (const status of ['failed', 'terminated'] as const) {
    expect(judge(recordOf('job', { status, ending: endingOf() }), 1_000_000, { execution: undefined })).toEqual(kept);
  }
  expect(judge(tombstoneOf('job'), 1_000_000, { execution: undefined })).toEqual(kept);
});
