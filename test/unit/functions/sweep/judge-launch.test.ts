import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import type { LaunchPlan } from '../../../../core/launch/launch-state.ts';
import { cleanUpQuietMs, judgeLaunch, type LaunchSights } from '../../../../functions/sweep/judge-launch.ts';
import { endingOf, epochMs, planOf, recordOf, signalOf, tombstoneOf } from '../../../contract/launch-fixtures.ts';

const graceSeconds = 60;
const kept = { is: 'kept' };
const justExited = { is: 'spared', why: 'AgentJustExited' };
const found = (reason: string) => ({ is: 'found', reason });
const at = (seconds: number) => epochMs + seconds * 1000;

function judge(record: LaunchRecord, atSeconds: number, sights: Partial<LaunchSights> = {}) {
  const seen: LaunchSights = { execution: { status: 'RUNNING' }, agent: 'there', ...sights };
  return judgeLaunch(record, seen, at(atSeconds), graceSeconds);
}

type Verdict = typeof kept | typeof justExited | ReturnType<typeof found>;
type Row = [what: string, record: LaunchRecord, atSeconds: number, sights: Partial<LaunchSights>, verdict: Verdict];

const none = { execution: undefined };
const launching = recordOf('job');
const deadlines = { ...planOf('job').deadlines, quotaSeconds: 1000 };
const late = recordOf('job', { plan: planOf('job', { deadlines }) });
const expiresAt = Object.values(deadlines).reduce((sum, seconds) => sum + seconds, 3600);
const again = planOf('job', { generation: 2, agentName: 'davit-job-r2', startedAtEpochMs: at(7000) });

test.each<Row>([
  ['whose execution runs', launching, 7000, {}, kept],
  ['without an execution, which its starter may still start', launching, 59, none, kept],
  ['without an execution after the grace', launching, 60, none, found('NeverStarted')],
  ...(['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED'] as const).flatMap((status): Row[] => [
    [`whose execution is ${status}, of which an event may come`, launching, 59, { execution: { status } }, kept],
    [`whose execution is ${status} after the grace`, launching, 60, { execution: { status } }, found('ExecutionOver')],
  ]),
  ['before an hour after all of its deadlines', late, expiresAt - 1, {}, kept],
  ['an hour after all of its deadlines', late, expiresAt, {}, found('LaunchExpired')],
  ['an hour after all of its deadlines, without an execution', late, expiresAt, none, found('LaunchExpired')],
  ['whose time counts anew after a relaunch', recordOf('job', { plan: again }), 10_000, {}, kept],
])('a launching launch %s', (_what, record, atSeconds, sights, verdict) => {
  expect(judge(record, atSeconds, sights)).toEqual(verdict);
});

const connected = (plan: Partial<LaunchPlan> = {}, more: Partial<LaunchRecord> = {}) =>
  recordOf('job', { status: 'connected', connectedAtEpochMs: at(100), plan: planOf('job', plan), ...more });
const hour = connected({ maxAgentLifetimeSeconds: 3600 });
const mayExit = { removeExitedAfterSeconds: 300 };
const exited = { agent: 'exited' } as const;
const gone = { agent: 'gone' } as const;
const seenExited = signalOf({ code: 'AgentExited', sinceEpochMs: at(1000) });
const thirteenDays = 13 * 24 * 3600;

test.each<Row>([
  ['whose execution runs', connected(), 86_400, { execution: { status: 'RUNNING' } }, kept],
  ['whose execution has succeeded', connected(), 86_400, { execution: { status: 'SUCCEEDED' } }, kept],
  ['whose execution was aborted', connected(), 86_400, { execution: { status: 'ABORTED' } }, kept],
  ['without an execution', connected(), 86_400, none, kept],
  ['within the lifetime of its plan', hour, 3699, {}, kept],
  ['after the lifetime of its plan, since it connected', hour, 3700, {}, found('AgentLifetimeExceeded')],
  [
    'after its lifetime, and of whose agent nothing is known',
    hour,
    3700,
    { agent: 'unknown' },
    found('AgentLifetimeExceeded'),
  ],
  ['without a lifetime', connected(), 100 + thirteenDays - 1, {}, kept],
  ['a day before its record expires', connected(), 100 + thirteenDays, {}, found('AgentLifetimeExceeded')],
  ['that has exited, and waits for its `completed`', connected(), 86_400, exited, kept],
  ['that has exited, as the first look sees', connected(mayExit), 1000, exited, justExited],
  ['that has exited for less than its plan says', connected(mayExit, { signal: seenExited }), 1299, exited, justExited],
  ['that has exited for as long', connected(mayExit, { signal: seenExited }), 1300, exited, found('AgentExited')],
  ['whose Pod is gone', connected(), 10, gone, found('AgentExited')],
  [
    'whose Pod is gone, whatever the plan says',
    connected({ removeExitedAfterSeconds: 3600 }),
    10,
    gone,
    found('AgentExited'),
  ],
  [
    'that has exited, where the plan says 0 s',
    connected({ removeExitedAfterSeconds: 0 }),
    1000,
    exited,
    found('AgentExited'),
  ],
  ['that has exited, with another signal', connected(mayExit, { signal: signalOf() }), 5000, exited, justExited],
  ['that is there again', connected(mayExit, { signal: seenExited }), 5000, { agent: 'there' }, kept],
  ['that had exited, and is unknown now', connected(mayExit, { signal: seenExited }), 5000, { agent: 'unknown' }, kept],
])('a launch with a connected agent %s', (_what, record, atSeconds, sights, verdict) => {
  expect(judge(record, atSeconds, sights)).toEqual(verdict);
});

function ended(by: string, more: Partial<LaunchRecord> = {}): LaunchRecord {
  return recordOf('job', { status: 'cleaning', ending: endingOf({ by, atEpochMs: at(100) }), ...more });
}
const unfinished = found('CleanUpUnfinished');

test.each<Row>([
  ['is left to its clean-up for the grace', ended('DELETE /launches'), 159, {}, kept],
  ['is found after the grace', ended('DELETE /launches'), 160, {}, unfinished],
  ['is kept while the execution that cleans it up runs', ended('the state machine'), 9000, {}, kept],
  ['is found when that has failed', ended('the state machine'), 9000, { execution: { status: 'FAILED' } }, unfinished],
  ['is found when there is none', ended('the state machine'), 9000, none, unfinished],
])('a launch in clean-up %s', (_what, record, atSeconds, sights, verdict) => {
  expect(judge(record, atSeconds, sights)).toEqual(verdict);
});

test.each([
  { what: 'the grace, at first', askedAtSeconds: 100, quietSeconds: 60 },
  { what: 'as long as the clean-up has failed until then', askedAtSeconds: 400, quietSeconds: 300 },
  { what: 'a quarter of an hour, at most', askedAtSeconds: 9000, quietSeconds: 900 },
])('a launch in clean-up gets no new request for $what', ({ askedAtSeconds, quietSeconds }) => {
  const record = ended('DELETE /launches', { cleanUpAskedAtEpochMs: at(askedAtSeconds) });

  expect(cleanUpQuietMs(record, graceSeconds)).toBe(quietSeconds * 1000);
  expect(judge(record, askedAtSeconds + quietSeconds - 1)).toEqual(kept);
  expect(judge(record, askedAtSeconds + quietSeconds)).toEqual(unfinished);
});

test('a launch in clean-up is found at once without a grace', () => {
  const record = ended('DELETE /launches', { cleanUpAskedAtEpochMs: at(5000) });

  expect(judgeLaunch(record, { execution: undefined, agent: 'unknown' }, at(5000), 0)).toEqual(unfinished);
});

const held = (overrides: Partial<LaunchRecord> = {}) =>
  recordOf('job', {
    status: 'cleaning',
    ending: endingOf({ atEpochMs: epochMs }),
    hold: { untilEpochMs: at(1000) },
    diagnostics: { atEpochMs: epochMs, events: [], unread: [] },
    ...overrides,
  });
const { diagnostics: _diagnostics, ...unseen } = held();
const hold = { untilEpochMs: at(1000), releasedAtEpochMs: at(1000) };
const released = held({ hold, cleanUpAskedAtEpochMs: at(1000) });

test.each<Row>([
  ['is kept until the time is over', held(), 999, {}, kept],
  ['is found at once after that', held(), 1000, {}, unfinished],
  [
    'is found at once after that, however late it was asked',
    held({ cleanUpAskedAtEpochMs: at(999) }),
    1000,
    {},
    unfinished,
  ],
  ['is kept for the grace if no clean-up has looked at the Pod', unseen, 59, none, kept],
  ['is found after the grace if no clean-up has: there may be no Pod', unseen, 60, none, unfinished],
  ['is kept for the grace if the Pod is gone', held(), 59, { ...none, ...gone }, kept],
  ['is found after the grace if the Pod is gone', held(), 60, { ...none, ...gone }, unfinished],
  ['is kept if the Pod is there', held(), 60, { ...none, agent: 'there' }, kept],
  ['is kept if its agent has exited', held(), 60, { ...none, ...exited }, kept],
  ['is kept while the sweep has not looked', held(), 60, { ...none, agent: 'unknown' }, kept],
  ['is kept for a pause from the end of the hold', released, 1059, {}, kept],
  ['is found after a pause from the end of the hold', released, 1060, {}, unfinished],
])('a launch whose Pod is held %s', (_what, record, atSeconds, sights, verdict) => {
  expect(judge(record, atSeconds, sights)).toEqual(verdict);
});

test.each([
  recordOf('job', { status: 'failed', ending: endingOf() }),
  recordOf('job', { status: 'terminated', ending: endingOf() }),
  tombstoneOf('job'),
])('a launch that is over is kept: $status', (record) => {
  expect(judge(record, 1_000_000, none)).toEqual(kept);
});
