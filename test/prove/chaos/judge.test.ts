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
const run: JobRun = { launchId, isReal: false, isCancelled: false, hasConnected: true, problems: [] };

describe('the judge', () => {
  test('finds no violation in a correct run', () => {
    expect(violationsOf({})).toEqual([]);
  });

  const objects = [{ launchId, kind: 'Pod', name: 'davit-agents/davit-1' }];
  const slots = [{ launchId, limit: 'profile/kwok' }];
  test.each<[string, Partial<Evidence['settled']>, string]>([
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
  ])('reports %s after the last fault', (_what, changes, violation) => {
    expect(violationsOf({ settled: { ...atRest, ...changes } })).toEqual([violation]);
  });

  test('lets an agent whose job goes on keep its Pod and its slot, but nothing else', () => {
    const lasting = { launchIds: [launchId], taken: new Set<string>() };
    const settled = { ...atRest, launches: launchesThatAre('connected'), objects, slots };

    expect(violationsOf({ runs: [], lasting, settled })).toEqual([]);
    expect(violationsOf({ runs: [], lasting, settled: { ...settled, executions: [launchId] } })).toEqual([
      'its execution runs',
    ]);
    expect(violationsOf({ runs: [], lasting, settled: { ...settled, objects: [] } })).toEqual([
      'is connected, and has no Pod',
    ]);
    expect(violationsOf({ runs: [], lasting, settled: { ...atRest, objects, slots } })).toEqual([
      'Pod davit-agents/davit-1 is left',
      'holds a slot of profile/kwok',
    ]);
  });

  test('reports the problem that a CI server met', () => {
    expect(violationsOf({ runs: [{ ...run, problems: ['its webhook is not taken'] }] })).toEqual([
      'its webhook is not taken',
    ]);
  });

  test.each<[string, readonly Read[], string]>([
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
  ])('reports a violation when an agent reads %s', (_what, reads, violation) => {
    expect(violationsOf({ agents: [{ ...agent, reads: [...reads] }] })).toEqual([`agent ${agentName} ${violation}`]);
  });

  test('excuses an agent that was gone when its address was read, or that got no answer', () => {
    const reads: Read[] = [
      { atEpochMs: 6000, status: 200, token },
      { atEpochMs: 7000, status: 0 },
      { atEpochMs: 7000, status: 503 }, // the store that says more is away
      { atEpochMs: 8000, status: 410 },
    ];

    expect(violationsOf({ agents: [{ ...agent, reads }] })).toEqual([]);
  });

  test('reports a second agent of a launch, even if it read nothing', () => {
    const second = { ...agent, podUid: 'uid-2', reads: [] };

    expect(violationsOf({ agents: [agent, second] })).toEqual(['has had 2 agents']);
  });

  test('excuses a second generation, but not two generations that both get a token', () => {
    const moved = { ...token, agentName: `${agentName}-r2` };
    const second = { ...agent, agentName: moved.agentName, podUid: 'uid-2', reads: [{ ...told, token: moved }] };

    expect(violationsOf({ agents: [{ ...agent, reads: [early, { atEpochMs: 6000, status: 410 }] }, second] })).toEqual(
      [],
    );
    expect(violationsOf({ agents: [agent, second] })).toEqual(['has had 2 agents']);
  });

  test('reports a connected agent that something other than its job ended', () => {
    const endedBy = (by: string, reads: readonly Read[] = agent.reads, taken: readonly string[] = []) => {
      const ending = { outcome: 'failed', code: 'Unexpected', message: 'Unexpected: x', by, means: '', advice: '' };
      const shown = LaunchShown.parse({ launchId, agentName, status: 'failed', ending });
      const settled = { ...atRest, launches: new Map([[launchId, shown]]) };
      const lasting = { launchIds: [], taken: new Set(taken) };
      return violationsOf({ agents: [{ ...agent, reads: [...reads] }], lasting, settled });
    };

    for (const by of ['the state machine', 'Step Functions', 'the sweep']) {
      expect(endedBy(by)).toEqual([`was ended by ${by} after its agent had connected: Unexpected`]);
    }
    expect(endedBy('github workflow_job completed (success)')).toEqual([]);
    expect(endedBy('the state machine', [early])).toEqual([]);
    expect(endedBy('the sweep', agent.reads, [launchId])).toEqual([]);
  });

  test('reports a second Pod of a cancelled launch once both got a token', () => {
    const runs = [{ ...run, isCancelled: true }];
    const second = { ...agent, podUid: 'uid-2' };

    expect(violationsOf({ runs, agents: [agent, { ...second, reads: [early] }] })).toEqual([]);
    expect(violationsOf({ runs, agents: [agent, second] })).toEqual(['has had 2 agents']);
  });
});

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
