import { describe, expect, test } from '@jest/globals';
import type { LaunchRecord } from '../../../../functions/domain/launch-record.ts';
import { cleanUpQuietMs, judgeLaunch, type LaunchSights } from '../../../../functions/sweep/judge-launch.ts';
import { endingOf, epochMs, planOf, recordOf, signalOf, tombstoneOf } from '../../../contract/launch-fixtures.ts';

const kept = { is: 'kept' };
const found = (reason: string) => ({ is: 'found', reason });

function judge(record: LaunchRecord, atSeconds: number, sights: Partial<LaunchSights> = {}) {
  const seen: LaunchSights = { execution: { status: 'RUNNING' }, agent: 'there', ...sights };
  return judgeLaunch(record, seen, epochMs + atSeconds * 1000, 60);
}

describe('a launch that is launching', () => {
  const launching = recordOf('job');

  test('and whose execution runs is kept', () => {
    expect(judge(launching, 7000)).toEqual(kept);
  });

  test('and has no execution is left to whoever is starting it for the grace, and found after that', () => {
    expect(judge(launching, 59, { execution: undefined })).toEqual(kept);
    expect(judge(launching, 60, { execution: undefined })).toEqual(found('NeverStarted'));
  });

  test.each(['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED'] as const)(
    "and whose execution is %s is left to that ending's event for the grace, and found after that",
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

  test('again has its time begun anew', () => {
    const plan = planOf('job', { generation: 2, agentName: 'davit-job-r2', startedAtEpochMs: epochMs + 7_000_000 });

    expect(judge(recordOf('job', { plan }), 10_000)).toEqual(kept);
  });
});

describe('a launch whose agent is connected', () => {
  const connectedAtEpochMs = epochMs + 100_000;
  const connected = (plan: Parameters<typeof planOf>[1] = {}) =>
    recordOf('job', { status: 'connected', connectedAtEpochMs, plan: planOf('job', plan) });

  test('is kept, whatever its execution is: it has done what it was for', () => {
    for (const status of ['RUNNING', 'SUCCEEDED', 'ABORTED'] as const) {
      expect(judge(connected(), 86_400, { execution: { status } })).toEqual(kept);
    }
    expect(judge(connected(), 86_400, { execution: undefined })).toEqual(kept);
  });

  test('may live as long as its plan says, from when it connected', () => {
    const record = connected({ maxAgentLifetimeSeconds: 3600 });

    expect(judge(record, 3699)).toEqual(kept);
    expect(judge(record, 3700)).toEqual(found('AgentLifetimeExceeded'));
    expect(judge(record, 3700, { agent: 'unknown' })).toEqual(found('AgentLifetimeExceeded'));
  });

  test('whose plan says nothing is over a day before its record is forgotten', () => {
    const thirteenDays = 13 * 24 * 3600;

    expect(judge(connected(), 100 + thirteenDays - 1)).toEqual(kept);
    expect(judge(connected(), 100 + thirteenDays)).toEqual(found('AgentLifetimeExceeded'));
  });

  test('and has exited waits for its `completed` if the plan says nothing', () => {
    expect(judge(connected(), 86_400, { agent: 'exited' })).toEqual(kept);
  });

  test('and has exited is spared from when that is seen for as long as the plan says, and then found', () => {
    const record = connected({ removeExitedAfterSeconds: 300 });
    const signal = signalOf({ code: 'AgentExited', sinceEpochMs: epochMs + 1_000_000 });

    expect(judge(record, 1000, { agent: 'exited' })).toEqual({ is: 'spared', why: 'AgentJustExited' });
    expect(judge({ ...record, signal }, 1299, { agent: 'exited' })).toEqual({ is: 'spared', why: 'AgentJustExited' });
    expect(judge({ ...record, signal }, 1300, { agent: 'exited' })).toEqual(found('AgentExited'));
  });

  test.each([0, 1])('and has exited is found at once if the plan says %i s', (removeExitedAfterSeconds) => {
    expect(judge(connected({ removeExitedAfterSeconds }), 1000, { agent: 'exited' })).toEqual(found('AgentExited'));
  });

  test('and of which the cluster last said something else has not been seen to have exited', () => {
    const record = { ...connected({ removeExitedAfterSeconds: 300 }), signal: signalOf() };

    expect(judge(record, 5000, { agent: 'exited' })).toEqual({ is: 'spared', why: 'AgentJustExited' });
  });

  test.each(['there', 'unknown'] as const)('and is %s is kept, whatever was seen before', (agent) => {
    const signal = signalOf({ code: 'AgentExited' });

    expect(judge({ ...connected({ removeExitedAfterSeconds: 300 }), signal }, 5000, { agent })).toEqual(kept);
  });
});

function ended(by: string, more: Partial<LaunchRecord> = {}): LaunchRecord {
  return recordOf('job', { status: 'cleaning', ending: endingOf({ by, atEpochMs: epochMs + 100_000 }), ...more });
}

describe('a launch that is being cleaned up', () => {
  test('is left to whoever ended it for the grace, and found after that', () => {
    expect(judge(ended('DELETE /launches'), 159)).toEqual(kept);
    expect(judge(ended('DELETE /launches'), 160)).toEqual(found('CleanUpUnfinished'));
  });

  test('by the state machine is kept while its execution runs', () => {
    expect(judge(ended('the state machine'), 9000)).toEqual(kept);
    expect(judge(ended('the state machine'), 9000, { execution: { status: 'FAILED' } })).toEqual(
      found('CleanUpUnfinished'),
    );
    expect(judge(ended('the state machine'), 9000, { execution: undefined })).toEqual(found('CleanUpUnfinished'));
  });

  test.each([
    { what: 'the grace, at first', askedAtSeconds: 100, quietSeconds: 60 },
    { what: 'as long as it was in vain until then', askedAtSeconds: 400, quietSeconds: 300 },
    { what: 'a quarter of an hour, at most', askedAtSeconds: 9000, quietSeconds: 900 },
  ])('is not asked for again for $what', ({ askedAtSeconds, quietSeconds }) => {
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

test('a launch that is over is kept', () => {
  for (const status of ['failed', 'terminated'] as const) {
    expect(judge(recordOf('job', { status, ending: endingOf() }), 1_000_000, { execution: undefined })).toEqual(kept);
  }
  expect(judge(tombstoneOf('job'), 1_000_000, { execution: undefined })).toEqual(kept);
});
