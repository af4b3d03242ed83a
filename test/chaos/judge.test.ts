import { describe, expect, test } from '@jest/globals';
import type { StateEvent } from '../on-cluster/messages.ts';
import { LaunchShown } from '../support/launches-client.ts';
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
const run: JobRun = { launchId, agentName, isReal: false, isCancelled: false, hasConnected: true, problems: [] };

describe('a run in which', () => {
  test('everything held violates nothing', () => {
    expect(violationsOf({})).toEqual([]);
  });

  test('a launch is still being cleaned up, or not shown at all, has launches without an ending', () => {
    const left: Evidence['settled']['left'] = [];

    expect(violationsOf({ settled: { launches: launchesThatAre('cleaning'), left } })).toEqual([
      'has no ending: it is cleaning',
    ]);
    expect(violationsOf({ settled: { launches: new Map(), left } })).toEqual(['has no ending: it is unknown']);
  });

  test('an object is left names it', () => {
    const left = [{ launchId, detail: 'Pod davit-agents/davit-1' }];

    expect(violationsOf({ settled: { launches: launchesThatAre('terminated'), left } })).toEqual([
      'Pod davit-agents/davit-1 is left after the sweep',
    ]);
  });

  test('a CI server met a problem says which', () => {
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
  ])('an agent reads %s is violated', (_what, reads, violation) => {
    expect(violationsOf({ agents: [{ ...agent, reads: [...reads] }] })).toEqual([`agent ${agentName} ${violation}`]);
  });

  test('an agent was gone when its address was looked up, or nobody answered it, violates nothing', () => {
    const reads: Read[] = [
      { atEpochMs: 6000, status: 200, token },
      { atEpochMs: 7000, status: 0 },
      { atEpochMs: 7000, status: 503 }, // the store that says more is away
      { atEpochMs: 8000, status: 410 },
    ];

    expect(violationsOf({ agents: [{ ...agent, reads }] })).toEqual([]);
  });

  test('a launch has a second agent is violated, even if that is told nothing', () => {
    const second = { ...agent, podUid: 'uid-2', reads: [] };

    expect(violationsOf({ agents: [agent, second] })).toEqual(['has had 2 agents']);
  });

  test('an agent that has connected is ended otherwise than by its job is violated', () => {
    const endedBy = (by: string, reads: readonly Read[] = agent.reads) => {
      const ending = { outcome: 'failed', code: 'Unexpected', message: 'Unexpected: x', by, means: '', advice: '' };
      const shown = LaunchShown.parse({ launchId, agentName, status: 'failed', ending });
      const settled = { launches: new Map([[launchId, shown]]), left: [] };
      return violationsOf({ agents: [{ ...agent, reads: [...reads] }], settled });
    };

    for (const by of ['the state machine', 'Step Functions', 'the sweep']) {
      expect(endedBy(by)).toEqual([`was ended by ${by} after its agent had connected: Unexpected`]);
    }
    expect(endedBy('github workflow_job completed (success)')).toEqual([]);
    expect(endedBy('the state machine', [early])).toEqual([]);
  });

  test('a cancelled launch has a second Pod is violated once both are told a token', () => {
    const runs = [{ ...run, isCancelled: true }];
    const second = { ...agent, podUid: 'uid-2' };

    expect(violationsOf({ runs, agents: [agent, { ...second, reads: [early] }] })).toEqual([]);
    expect(violationsOf({ runs, agents: [agent, second] })).toEqual(['has had 2 agents']);
  });
});

function violationsOf(changes: Partial<Evidence>): string[] {
  const executions = new ExecutionHistories();
  const event: StateEvent = { launchId, type: 'TaskStateEntered', state: 'PublishToken', atEpochMs: publishedEpochMs };
  executions.add(event);
  const settled = { launches: launchesThatAre('terminated'), left: [] };
  return judge({ runs: [run], agents: [agent], executions, settled, ...changes }).map((violation) => violation.detail);
}

function launchesThatAre(status: LaunchShown['status']): Map<string, LaunchShown> {
  return new Map([[launchId, LaunchShown.parse({ launchId, agentName, status })]]);
}
