import { saidOf } from '../../../cli/view/said-of.ts';
import { whyOf } from '../../../cli/view/why.ts';
import type { LaunchRecord } from '../../../core/launch/launch-record.ts';
import { endingOf, epochMs, recordOf, signalOf } from '../../contract/launch-fixtures.ts';
import { shownLaunch } from '../../support/shown-launch.ts';

const viewOf = (overrides: Partial<LaunchRecord>) => shownLaunch(recordOf('api-1', overrides), epochMs);
const timeline = { podMs: 1000 };

describe('what a launch waits for, or how it ended', () => {
  test.each<[string, Partial<LaunchRecord>, object]>([
    ['has begun', {}, { what: 'davit creates its Service and its Pod', since: '2026-01-01T00:00:00.000Z' }],
    ['has a Pod', { timeline }, { what: 'the Pod has no node yet', since: '2026-01-01T00:00:01.000Z' }],
    [
      'is in trouble',
      { timeline, signal: signalOf({ code: 'QuotaExceeded', detail: 'exceeded quota: agents' }) },
      {
        what: 'the Pod has no node yet',
        code: 'QuotaExceeded',
        detail: 'exceeded quota: agents',
        since: '2026-01-01T00:00:01.000Z',
        means: expect.any(String),
        advice: expect.any(String),
      },
    ],
    ['has a code of another version', { signal: signalOf({ code: 'constructor' }) }, { code: 'constructor' }],
    ['is connected', { status: 'connected', connectedAtEpochMs: epochMs }, { what: 'its agent is connected' }],
    [
      'runs a job',
      { status: 'connected', runs: { jobKey: 'k', sinceEpochMs: epochMs } },
      { what: 'its agent runs a job' },
    ],
    [
      'is removed after it was ended',
      { status: 'cleaning', ending: endingOf({ outcome: 'terminated' }) },
      { what: 'davit removes its Pod and its Service' },
    ],
    [
      'is removed after it failed',
      { status: 'cleaning', ending: endingOf() },
      { what: 'it failed, and davit removes its Pod and its Service', code: 'ImagePullFailed' },
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
});

test.each([
  ['ImagePullFailed: not found (launch api-1, cluster east)', 'not found'],
  ['Unschedulable: 0/1 nodes are available', '0/1 nodes are available'],
  ['the launch was deleted', 'the launch was deleted'],
  ['exit code 3 (Error)', 'exit code 3 (Error)'],
])('the message %j says %j', (message, said) => {
  expect(saidOf(message)).toBe(said);
});
