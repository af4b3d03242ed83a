import { saidOf } from '../../../cli/view/said-of.ts';
import { limitWords, lookCommands, podWordsOf, whyLine, whyOf } from '../../../cli/view/why.ts';
import type { LaunchRecord } from '../../../core/launch/launch-record.ts';
import { endingOf, epochMs, recordOf, signalOf } from '../../contract/launch-fixtures.ts';
import { shownLaunch } from '../../support/shown-launch.ts';

const viewOf = (overrides: Partial<LaunchRecord>) => shownLaunch(recordOf('api-1', overrides), epochMs);
const timeline = { podMs: 1000 };

describe('what a launch waits for, or how it ended', () => {
  const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
  const connected = { status: 'connected', connectedAtEpochMs: epochMs } as const;
  const cleaning = { status: 'cleaning', ending: endingOf() } as const;
  const overQuota = { code: 'QuotaExceeded', detail: 'exceeded quota: agents' };
  const explained = { means: expect.any(String), advice: expect.any(String) };
  const summons = { jobKey: 'k', atEpochMs: epochMs + 1000 };

  test.each<[string, Partial<LaunchRecord>, object]>([
    ['has begun', {}, { what: 'davit creates its Service and its Pod', since: at(0) }],
    ['has a Pod', { timeline }, { what: 'the Pod has no node yet', since: at(1) }],
    [
      'is in trouble',
      { timeline, signal: signalOf(overQuota) },
      { what: 'the Pod has no node yet', ...overQuota, since: at(1), ...explained },
    ],
    [
      'has an address',
      { timeline: { podMs: 1000, hostMs: 2000 } },
      { what: "davit publishes the agent's address", since: at(2) },
    ],
    [
      'has published its address',
      { timeline: { podMs: 1000, hostMs: 2000, tokenMs: 3000 } },
      { what: 'the agent has not connected yet', since: at(3) },
    ],
    ['has a code of another version', { signal: signalOf({ code: 'constructor' }) }, { code: 'constructor' }],
    ['is connected', connected, { what: 'its agent is connected' }],
    [
      'stands by',
      { ...connected, standby: { sinceEpochMs: epochMs } },
      { what: 'its agent stands by, for the next job', since: at(0) },
    ],
    ['was summoned', { ...connected, standby: { sinceEpochMs: epochMs, summons } }, { what: 'its agent is connected' }],
    ['runs', { status: 'connected', runs: { jobKey: 'k', sinceEpochMs: epochMs } }, { what: 'its agent runs a job' }],
    [
      'is removed after it was ended',
      { ...cleaning, ending: endingOf({ outcome: 'terminated' }) },
      { what: 'davit removes its Pod and its Service' },
    ],
    [
      'is removed after it failed',
      cleaning,
      { what: 'it failed, and davit removes its Pod and its Service', code: 'ImagePullFailed' },
    ],
    [
      'is held after it failed',
      { ...cleaning, hold: { untilEpochMs: epochMs + 605_000 } },
      { what: 'it failed', code: 'ImagePullFailed' },
    ],
    [
      'has failed',
      { status: 'failed', ending: endingOf(), signal: signalOf({ code: 'Unschedulable' }) },
      { what: 'it failed', code: 'ImagePullFailed', detail: 'manifest unknown' },
    ],
  ])('a launch that %s', (_what, overrides, expected) => {
    expect(whyOf(viewOf(overrides), epochMs)).toMatchObject(expected);
  });

  test('an agent that takes longer than a minute to connect has advice', () => {
    const launch = viewOf({ timeline: { podMs: 1, tokenMs: 1000 } });

    expect(whyOf(launch, epochMs + 61_000)).not.toHaveProperty('advice');
    expect(whyOf(launch, epochMs + 61_001).advice).toMatch(/DAVIT_CONNECT_URL/);
  });

  test.each([
    ['phase Pending; not PodScheduled: Unschedulable: no room', 'the Pod has no node yet', undefined],
    ['phase Unknown', 'the Pod has a node, and no address yet', /kubectl describe node/],
  ])('a Pod that says %s', (detail, what, advice) => {
    const why = whyOf(viewOf({ timeline, podState: { detail, atEpochMs: epochMs } }), epochMs + 120_000);

    expect(why.what).toBe(what);
    if (advice === undefined) expect(why).not.toHaveProperty('advice');
    else expect(why.advice).toMatch(advice);
  });

  test.each([
    ['FailedMount: secret "tls" not found', /Create the Secret/],
    ['node n reports no hostIP, which a NodePort needs; phase Unknown', /kubectl describe node/],
    ['Unschedulable: 0/1 nodes are available', /Read the scheduler's message/],
  ])('a Pod that got no address in time because of %s', (said, advice) => {
    const message = `PlacementDeadlineExceeded: PollHostIP gave up after 900 s of 900 s; at last: ${said}`;
    const ending = endingOf({ code: 'PlacementDeadlineExceeded', message });

    expect(whyOf(viewOf({ status: 'failed', ending }), epochMs).advice).toMatch(advice);
  });

  test('a removal that takes longer than a minute has advice, and a command to look', () => {
    const launch = viewOf({ status: 'cleaning', ending: endingOf({ outcome: 'terminated', atEpochMs: epochMs }) });

    expect(whyOf(launch, epochMs + 60_000)).not.toHaveProperty('advice');
    expect(whyOf(launch, epochMs + 60_001).advice).toMatch(/finalizer/);
    expect(lookCommands(launch)).toEqual([
      'kubectl --namespace davit-agents get pods,services --selector davit.dev/launch-id=api-1',
    ]);
  });

  test('a Pod that is held has commands to look at it, and one that removes it', () => {
    const launch = viewOf({ status: 'cleaning', ending: endingOf(), hold: { untilEpochMs: epochMs + 605_000 } });

    expect(lookCommands(launch)).toEqual([
      'kubectl --namespace davit-agents describe pod davit-api-1',
      'davit logs api-1',
      'davit exec api-1',
      'davit end api-1  # removes it now',
    ]);
    const until = 'davit holds its Pod until 00:10:05 UTC, for you to look at';
    expect(limitWords(launch, epochMs)).toBe(until);
    expect(whyLine(launch, epochMs)).toBe(`ImagePullFailed: manifest unknown; ${until}`);
  });

  test.each([
    ['held by kueue; gated', 'phase Pending; not PodScheduled: SchedulingGated: gated', undefined],
    ['ErrImagePull: no', 'phase Pending', 'phase Pending'],
  ])("of a Pod whose trouble is %j, the Pod's own words are there only if they are others", (said, words, shown) => {
    const signal = signalOf({ code: 'X', detail: said });
    const launch = viewOf({ timeline, signal, podState: { detail: words, atEpochMs: epochMs } });

    expect(podWordsOf(launch, whyOf(launch, epochMs))).toBe(shown);
  });

  test('a launch has the command for its log once its agent has started, as far as davit knows', () => {
    const describe = 'kubectl --namespace davit-agents describe pod davit-api-1';
    const placed = { podMs: 1000, hostMs: 2000 };

    expect(lookCommands(viewOf({ timeline: placed }))).toEqual([describe]);
    expect(lookCommands(viewOf({ timeline: { ...placed, tokenMs: 3000 } }))).toEqual([
      'davit logs api-1 --follow',
      describe,
    ]);
  });

  test('a launch without a Pod has no command that needs one', () => {
    const quota = viewOf({ timeline: {}, signal: signalOf({ code: 'QuotaExceeded' }) });

    expect(lookCommands(viewOf({ timeline: {} }))).toEqual([]);
    expect(lookCommands(quota)).toEqual(['kubectl --namespace davit-agents describe resourcequotas']);
  });
});

test.each([
  ['ImagePullFailed: not found (launch api-1, cluster east)', 'not found'],
  ['Unschedulable: 0/1 nodes are available', '0/1 nodes are available'],
  ['the launch was deleted', 'the launch was deleted'],
  ['ClusterForbidden: create pods: no (cluster east, namespace a, pod b)', 'create pods: no'],
  ['ImagePullFailed: not found (launch x, node n, image a/b:1)', 'not found (node n, image a/b:1)'],
  ['OutOfMemory: container agent ended (launch x, container agent)', 'container agent ended'],
  [
    'PodDeadlineExceeded: CreatePod gave up after 900 s of 900 s; at last: no node',
    'davit gave up after 900 s; last seen: no node',
  ],
  ['exit code 3 (Error)', 'exit code 3 (Error)'],
])('the message %j says %j', (message, said) => {
  expect(saidOf(message)).toBe(said);
});
