import { LaunchShown } from '../../support/launches-client.ts';
import type { StateEvent } from '../on-cluster/messages.ts';
import { type AgentHistory, ExecutionHistories, type Read } from './history.ts';
import { type Evidence, judge } from './judge.ts';
import type { JobRun } from './run-launch.ts';

const launchId = 'github-1-7-1';
const agentName = `davit-${launchId}`;
const publishedEpochMs = 5000;
const token = {
  agentName,
  launchId,
  host: '10.250.1.2',
  port: 30_007,
  tls: false,
  publishedAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-01-01T00:10:00.000Z',
};
const early: Read = { atEpochMs: 4000, status: 503 };
const told: Read = { atEpochMs: 6000, status: 200, token, isAt: '10.250.1.2:30007' };
const agent: AgentHistory = { launchId, agentName, podUid: 'uid-1', reads: [early, told, told] };
const atRest: Evidence['settled'] = {
  launches: launchesThatAre('terminated'),
  objects: [],
  executions: [],
  slots: [],
  clusters: [{ name: 'real', connected: true }],
  rounds: 3,
};
const second = { ...agent, podUid: 'uid-2' };
const moved = { ...token, agentName: `${agentName}-r2` };
const inSecond: AgentHistory = { ...second, agentName: moved.agentName, reads: [{ ...told, token: moved }] };
const objects = [{ launchId, kind: 'Pod', name: 'davit-agents/davit-1' }];
const slots = [{ launchId, limit: 'profile/kwok' }];
const itsJobGoesOn = { launchIds: [launchId], taken: new Set<string>() };
const atWork = { ...atRest, launches: launchesThatAre('connected'), objects, slots };
const run: JobRun = { launchId, isReal: false, isCancelled: false, hasConnected: true, problems: [] };

test.each<[what: string, changes: Partial<Evidence>]>([
  ['a correct run', {}],
  [
    'an agent that was gone when its address was read, or that got no answer',
    readBy([
      { atEpochMs: 6000, status: 200, token },
      { atEpochMs: 7000, status: 0 },
      { atEpochMs: 7000, status: 503 }, // the store that says more is away
      { atEpochMs: 8000, status: 410 },
    ]),
  ],
  [
    'a second generation of which alone an agent has a token',
    { agents: [{ ...agent, reads: [early, { atEpochMs: 6000, status: 410 }] }, inSecond] },
  ],
  [
    'a second Pod of a cancelled launch without a token',
    { runs: [{ ...run, isCancelled: true }], agents: [agent, { ...second, reads: [early] }] },
  ],
  ['an agent whose job goes on, with its Pod and its slot', { runs: [], lasting: itsJobGoesOn, settled: atWork }],
])('the judge excuses %s', (_what, changes) => {
  expect(violationsOf(changes)).toEqual([]);
});

test.each<[what: string, changes: Partial<Evidence['settled']>, violation: string]>([
  ['a launch that is being cleaned up', { launches: launchesThatAre('cleaning') }, 'is not at rest: it is cleaning'],
  ['a launch that begins', { launches: launchesThatAre('launching') }, 'is not at rest: it is launching'],
  ['an agent whose job is over', { launches: launchesThatAre('connected') }, 'is not at rest: it is connected'],
  [
    'a launch that davit does not show',
    { launches: new Map([[launchId, undefined]]) },
    'is not at rest: it is unknown',
  ],
  ['a leftover object', { objects }, 'Pod davit-agents/davit-1 is left'],
  ['an execution', { executions: [launchId] }, 'its execution runs'],
  ['the slot of a launch that is over', { slots }, 'holds a slot of profile/kwok'],
  [
    'a cluster whose return davit has not seen',
    { clusters: [{ name: 'real', connected: 'unknown' }] },
    'cluster real is connected: unknown',
  ],
  ['a rest that comes in the fourth round', { rounds: 4 }, 'everything took 4 rounds to come to rest'],
])('the judge reports %s after the last fault', (_what, changes, violation) => {
  expect(violationsOf({ settled: { ...atRest, ...changes } })).toEqual([violation]);
});

test.each<[what: string, settled: Evidence['settled'], violations: string[]]>([
  ['with an execution', { ...atWork, executions: [launchId] }, ['its execution runs']],
  ['without a Pod', { ...atWork, objects: [] }, ['is connected, and has no Pod']],
  [
    'that has ended, with its Pod and its slot',
    { ...atRest, objects, slots },
    ['Pod davit-agents/davit-1 is left', 'holds a slot of profile/kwok'],
  ],
])('the judge reports an agent whose job goes on %s', (_what, settled, violations) => {
  expect(violationsOf({ runs: [], lasting: itsJobGoesOn, settled })).toEqual(violations);
});

test.each<[what: string, reads: readonly Read[], violation: string]>([
  ['a token before it was published', [{ ...told, atEpochMs: 4999 }], 'was told its token before it was published'],
  ['a 200 that is no token', [{ atEpochMs: 6000, status: 200, incomplete: '{}' }], 'was told {}, which is no token'],
  [
    'a token of another',
    [{ ...told, token: { ...token, agentName: 'davit-other' } }],
    'was told the token of davit-other',
  ],
  [
    'an address that is not its own',
    [{ ...told, isAt: '10.250.1.2:30008' }],
    'was told 10.250.1.2:30007, and is at 10.250.1.2:30008',
  ],
  [
    'an address that changes',
    [told, { ...told, token: { ...token, port: 30_008 }, isAt: '10.250.1.2:30008' }],
    'was told 10.250.1.2:30007, then 10.250.1.2:30008',
  ],
  [
    '401 after its token',
    [told, { atEpochMs: 7000, status: 401 }],
    'was told its token, and then that it is not itself',
  ],
])('the judge reports a violation when an agent reads %s', (_what, reads, violation) => {
  expect(violationsOf(readBy(reads))).toEqual([`agent ${agentName} ${violation}`]);
});

test.each<[what: string, changes: Partial<Evidence>, violation: string]>([
  ['the problem that a CI server met', { runs: [{ ...run, problems: ['it is not taken'] }] }, 'it is not taken'],
  ['a second agent that read nothing', { agents: [agent, { ...second, reads: [] }] }, 'has had 2 agents'],
  ['two generations that both get a token', { agents: [agent, inSecond] }, 'has had 2 agents'],
  [
    'two Pods of a cancelled launch that both get a token',
    { runs: [{ ...run, isCancelled: true }], agents: [agent, second] },
    'has had 2 agents',
  ],
])('the judge reports %s', (_what, changes, violation) => {
  expect(violationsOf(changes)).toEqual([violation]);
});

test.each(['the state machine', 'Step Functions', 'the sweep'])(
  'the judge reports a connected agent that %s ended',
  (by) => {
    expect(violationsOf(endedBy(by))).toEqual([`was ended by ${by} after its agent had connected: Unexpected`]);
  },
);

test.each<[what: string, changes: Partial<Evidence>]>([
  ['its job', endedBy('github workflow_job completed (success)')],
  ['the state machine before it connected', { ...endedBy('the state machine'), ...readBy([early]) }],
  ['the sweep without its Pod', { ...endedBy('the sweep'), lasting: { launchIds: [], taken: new Set([launchId]) } }],
])('the judge excuses an agent that was ended by %s', (_what, changes) => {
  expect(violationsOf(changes)).toEqual([]);
});

function endedBy(by: string): Pick<Evidence, 'settled'> {
  const ending = { outcome: 'failed', code: 'Unexpected', message: 'Unexpected: x', by, means: '', advice: '' };
  const shown = LaunchShown.parse({ launchId, agentName, status: 'failed', ending });
  return { settled: { ...atRest, launches: new Map([[launchId, shown]]) } };
}

function readBy(reads: readonly Read[]): Pick<Evidence, 'agents'> {
  return { agents: [{ ...agent, reads: [...reads] }] };
}

function violationsOf(changes: Partial<Evidence>): string[] {
  const executions = new ExecutionHistories();
  const event: StateEvent = { launchId, type: 'entered', state: 'PublishToken', atEpochMs: publishedEpochMs };
  executions.add(event);
  const lasting = { launchIds: [], taken: new Set<string>() };
  const observed = { runs: [run], agents: [agent], executions, lasting, settled: atRest };
  return judge({ ...observed, ...changes }).map((violation) => violation.detail);
}

function launchesThatAre(status: LaunchShown['status']): Map<string, LaunchShown> {
  return new Map([[launchId, LaunchShown.parse({ launchId, agentName, status })]]);
}
