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
type Row = [what: string, verdict: Verdict, record: LaunchRecord, atSeconds: number, sights: Partial<LaunchSights>];

const none = { execution: undefined };
const launching = recordOf('job');
const deadlines = { ...planOf('job').deadlines, quotaSeconds: 1000 };
const late = recordOf('job', { plan: planOf('job', { deadlines }) });
const expiresAt = Object.values(deadlines).reduce((sum, seconds) => sum + seconds, 3600);
const again = planOf('job', { generation: 2, agentName: 'davit-job-r2', startedAtEpochMs: at(7000) });

test.each<Row>([
  ['whose execution runs', kept, launching, 7000, {}],
  ['without an execution, which its starter may still start', kept, launching, 59, none],
  ['without an execution after the grace', found('NeverStarted'), launching, 60, none],
  ...(['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED'] as const).flatMap((status): Row[] => [
    [`whose execution is ${status}, of which an event may come`, kept, launching, 59, { execution: { status } }],
    [`whose execution is ${status} after the grace`, found('ExecutionOver'), launching, 60, { execution: { status } }],
  ]),
  ['before an hour after all of its deadlines', kept, late, expiresAt - 1, {}],
  ['an hour after all of its deadlines', found('LaunchExpired'), late, expiresAt, {}],
  ['an hour after all of its deadlines, without an execution', found('LaunchExpired'), late, expiresAt, none],
  ['whose time counts anew after a relaunch', kept, recordOf('job', { plan: again }), 10_000, {}],
])('a launching launch %s is judged %j', (_what, verdict, record, atSeconds, sights) => {
  expect(judge(record, atSeconds, sights)).toEqual(verdict);
});

const connected = (plan: Partial<LaunchPlan> = {}, more: Partial<LaunchRecord> = {}) =>
  recordOf('job', { status: 'connected', connectedAtEpochMs: at(100), plan: planOf('job', plan), ...more });
const hour = connected({ maxAgentLifetimeSeconds: 3600 });
const tooOld = found('AgentLifetimeExceeded');
const hasExited = found('AgentExited');
const exitsLate = connected({ removeExitedAfterSeconds: 3600 });
const exitsAtOnce = connected({ removeExitedAfterSeconds: 0 });
const mayExit = { removeExitedAfterSeconds: 300 };
const exited = { agent: 'exited' } as const;
const gone = { agent: 'gone' } as const;
const seenExited = signalOf({ code: 'AgentExited', sinceEpochMs: at(1000) });
const thirteenDays = 13 * 24 * 3600;

test.each<Row>([
  ['whose execution runs', kept, connected(), 86_400, { execution: { status: 'RUNNING' } }],
  ['whose execution has succeeded', kept, connected(), 86_400, { execution: { status: 'SUCCEEDED' } }],
  ['whose execution was aborted', kept, connected(), 86_400, { execution: { status: 'ABORTED' } }],
  ['without an execution', kept, connected(), 86_400, none],
  ['within the lifetime of its plan', kept, hour, 3699, {}],
  ['after the lifetime of its plan, since it connected', tooOld, hour, 3700, {}],
  ['after its lifetime, and of whose agent nothing is known', tooOld, hour, 3700, { agent: 'unknown' }],
  ['without a lifetime', kept, connected(), 100 + thirteenDays - 1, {}],
  ['a day before its record expires', tooOld, connected(), 100 + thirteenDays, {}],
  ['that has exited, and waits for its `completed`', kept, connected(), 86_400, exited],
  ['that has exited, as the first look sees', justExited, connected(mayExit), 1000, exited],
  ['that has exited for less than its plan says', justExited, connected(mayExit, { signal: seenExited }), 1299, exited],
  ['that has exited for as long', hasExited, connected(mayExit, { signal: seenExited }), 1300, exited],
  ['whose Pod is gone', hasExited, connected(), 10, gone],
  ['whose Pod is gone, whatever the plan says', hasExited, exitsLate, 10, gone],
  ['that has exited, where the plan says 0 s', hasExited, exitsAtOnce, 1000, exited],
  ['that has exited, with another signal', justExited, connected(mayExit, { signal: signalOf() }), 5000, exited],
  ['that is there again', kept, connected(mayExit, { signal: seenExited }), 5000, { agent: 'there' }],
  ['that had exited, and is unknown now', kept, connected(mayExit, { signal: seenExited }), 5000, { agent: 'unknown' }],
])('a launch with a connected agent %s is judged %j', (_what, verdict, record, atSeconds, sights) => {
  expect(judge(record, atSeconds, sights)).toEqual(verdict);
});

function ended(by: string, more: Partial<LaunchRecord> = {}): LaunchRecord {
  return recordOf('job', { status: 'cleaning', ending: endingOf({ by, atEpochMs: at(100) }), ...more });
}
const unfinished = found('CleanUpUnfinished');

test.each<Row>([
  ['is left to its clean-up for the grace', kept, ended('DELETE /launches'), 159, {}],
  ['is found after the grace', unfinished, ended('DELETE /launches'), 160, {}],
  ['is kept while the execution that cleans it up runs', kept, ended('the state machine'), 9000, {}],
  ['is found when that has failed', unfinished, ended('the state machine'), 9000, { execution: { status: 'FAILED' } }],
  ['is found when there is none', unfinished, ended('the state machine'), 9000, none],
])('a launch in clean-up %s', (_what, verdict, record, atSeconds, sights) => {
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
  ['is kept until the time is over', kept, held(), 999, {}],
  ['is found at once after that', unfinished, held(), 1000, {}],
  [
    'is found at once after that, however late it was asked',
    unfinished,
    held({ cleanUpAskedAtEpochMs: at(999) }),
    1000,
    {},
  ],
  ['is kept for the grace if no clean-up has looked at the Pod', kept, unseen, 59, none],
  ['is found after the grace if no clean-up has: there may be no Pod', unfinished, unseen, 60, none],
  ['is kept for the grace if the Pod is gone', kept, held(), 59, { ...none, ...gone }],
  ['is found after the grace if the Pod is gone', unfinished, held(), 60, { ...none, ...gone }],
  ['is kept if the Pod is there', kept, held(), 60, { ...none, agent: 'there' }],
  ['is kept if its agent has exited', kept, held(), 60, { ...none, ...exited }],
  ['is kept while the sweep has not looked', kept, held(), 60, { ...none, agent: 'unknown' }],
  ['is kept for a pause from the end of the hold', kept, released, 1059, {}],
  ['is found after a pause from the end of the hold', unfinished, released, 1060, {}],
])('a launch whose Pod is held %s', (_what, verdict, record, atSeconds, sights) => {
  expect(judge(record, atSeconds, sights)).toEqual(verdict);
});

test.each([
  recordOf('job', { status: 'failed', ending: endingOf() }),
  recordOf('job', { status: 'terminated', ending: endingOf() }),
  tombstoneOf('job'),
])('a launch that is over is kept: $status', (record) => {
  expect(judge(record, 1_000_000, none)).toEqual(kept);
});
