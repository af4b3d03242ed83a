import { readFile } from 'node:fs/promises';
import { dollarsPerLaunch } from '../../../../cli/commands/console-command.ts';
import { costRows, pricesInWords } from '../../../../cli/console/page/cost.ts';
import { hrefOf, readRoute } from '../../../../cli/console/page/route.ts';
import { rowOfKey, rowsInSight, rowsToMake, topToShow } from '../../../../cli/console/page/row-window.ts';
import { linkOf, originOf, titleOf } from '../../../../cli/console/page/words.ts';
import { phasesOf } from '../../../../cli/view/phases.ts';
import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { endingOf, epochMs, planOf, recordOf, tombstoneOf } from '../../../contract/launch-fixtures.ts';
import { shownLaunch } from '../../../support/shown-launch.ts';

const second = 1000;
const job = { name: 'build', repository: 'acme/app', workflow: 'CI', runId: 1, attempt: 1 };

function viewOf(overrides: Partial<LaunchRecord>) {
  return shownLaunch(recordOf('api-1', overrides), epochMs);
}

describe('the phases of a launch', () => {
  const life: Partial<LaunchRecord> = {
    plan: planOf('api-1', { job: { ...job, queuedAtEpochMs: epochMs - 5 * second } }),
    status: 'terminated',
    connectedAtEpochMs: epochMs + 2 * second,
    runs: { jobKey: 'k', sinceEpochMs: epochMs + 3 * second },
    ran: { atEpochMs: epochMs + 10 * second },
    ending: endingOf({ outcome: 'terminated', atEpochMs: epochMs + 11 * second }),
    cleanedAtEpochMs: epochMs + 12 * second,
  };
  const secondsOf = (overrides: Partial<LaunchRecord>, now = 20) =>
    phasesOf(viewOf(overrides), epochMs + now * second).map(
      ({ name, fromEpochMs, toEpochMs, isOpen }) =>
        `${name} ${(fromEpochMs - epochMs) / second}..${(toEpochMs - epochMs) / second}${isOpen ? ' open' : ''}`,
    );

  test('cover a whole life', () => {
    expect(secondsOf(life)).toEqual([
      'queued -5..0',
      'starting 0..2',
      'idle 2..3',
      'running 3..10',
      'leaving 10..11',
      'cleaning 11..12',
    ]);
  });

  const reached = { serviceMs: 100, portMs: 200, podMs: 300 };
  const placed = { ...reached, scheduledMs: 1000, hostMs: 1500, tokenMs: 1600 };
  const connected = { status: 'connected', connectedAtEpochMs: epochMs + 9 * second } as const;

  const made = 'service 0..0.1, port 0.1..0.2, pod 0.2..0.3';
  const published = `${made}, scheduled 0.3..1, host 1..1.5, token 1.5..1.6`;

  test.each<[what: string, overrides: Partial<LaunchRecord>, phases: string]>([
    [
      'end with each step that the launch has passed',
      { ...connected, timeline: { ...placed, containersMs: 8000 } },
      `${published}, containers 1.6..8, connecting 8..9, idle 9..20 open`,
    ],
    [
      'do not name the last step of a connected agent while the start of its containers is unknown',
      { ...connected, timeline: placed },
      `${published}, starting 1.6..9, idle 9..20 open`,
    ],
    ['end with the step that a launch waits for', { timeline: reached }, `${made}, scheduled 0.3..20 open`],
    [
      'end with the step that failed',
      { status: 'cleaning', ending: endingOf(), timeline: placed },
      `${published}, containers 1.6..5, cleaning 5..20 open`,
    ],
    [
      'name no step whose times only the Pod knows',
      { status: 'cleaning', ending: endingOf(), timeline: { scheduledMs: 1000, containersMs: 3000 } },
      'starting 0..3, connecting 3..5, cleaning 5..20 open',
    ],
    [
      'have no Service for an agent that dials out',
      { plan: planOf('api-1', { expose: 'none' }), timeline: { podMs: 300 } },
      'pod 0..0.3, scheduled 0.3..20 open',
    ],
    [
      "move a cluster's times between davit's own",
      { ...connected, timeline: { ...placed, scheduledMs: -700, containersMs: 60_000 } },
      `${made}, host 0.3..1.5, token 1.5..1.6, containers 1.6..9, idle 9..20 open`,
    ],
  ])('%s', (_what, overrides, phases) => {
    expect(secondsOf(overrides).join(', ')).toBe(phases);
  });

  test('begin with those of earlier agents', () => {
    const ended = { agentName: 'davit-api-1', code: 'PodEvicted', message: 'drained', endedAtEpochMs: epochMs + 4000 };
    const plan = planOf('api-1', { generation: 2, startedAtEpochMs: epochMs + 4000 });

    expect(secondsOf({ plan, generations: [ended], timeline: { serviceMs: 1000 } })).toEqual([
      'earlier 0..4',
      'service 4..5',
      'port 5..20 open',
    ]);
  });

  test('last until now for a launch under way', () => {
    expect(secondsOf({})).toEqual(['starting 0..20 open']);
    expect(secondsOf({ status: 'connected', connectedAtEpochMs: epochMs + second })).toEqual([
      'starting 0..1',
      'idle 1..20 open',
    ]);
    expect(secondsOf({ status: 'cleaning', ending: endingOf() })).toEqual(['starting 0..5', 'cleaning 5..20 open']);
  });

  test("never overlap, even when the CI system's clock is behind", () => {
    const behind = { ...job, startedAtEpochMs: epochMs - 60 * second };
    const runs = { jobKey: 'k', sinceEpochMs: epochMs, job: behind };

    expect(secondsOf({ status: 'connected', connectedAtEpochMs: epochMs + 2 * second, runs })).toEqual([
      'starting 0..2',
      'running 2..20 open',
    ]);
  });
});

test("a launch is shown under its job's name, or under its id without a job", () => {
  const named = viewOf({ plan: planOf('api-1', { job }) });

  expect([titleOf(named), originOf(named)]).toEqual(['build', 'acme/app · CI']);
  expect([titleOf(viewOf({})), originOf(viewOf({}))]).toEqual(['api-1', '']);
});

test('only web addresses become links', () => {
  expect(linkOf('https://ci.example/7')).toBe('https://ci.example/7');
  for (const text of ['javascript:alert(1)', 'data:text/html,x', ' JavaScript:alert(1)', '/relative', '', undefined])
    expect(linkOf(text)).toBeUndefined();
});

test('an address is read back unchanged, whatever the names', () => {
  const query = new URLSearchParams({ repository: 'a/b&c' });

  expect(readRoute(hrefOf('launches', 'a/b?c#d%', query))).toEqual({ page: 'launches', subject: 'a/b?c#d%', query });
  expect(readRoute('')).toMatchObject({ page: 'now' });
  expect(readRoute('#/launches/%')).toMatchObject({ subject: '%' });
});

describe('a list that renders its visible rows only', () => {
  const sight = { top: 560, height: 560, rowHeight: 56, count: 1000 };

  test('renders eight more on either side', () => {
    expect(rowsInSight(sight)).toEqual({ first: 10, end: 20 });
    expect(rowsToMake(sight)).toEqual({ first: 2, end: 28 });
    expect(rowsToMake({ ...sight, top: 0, count: 3 })).toEqual({ first: 0, end: 3 });
    expect(rowsToMake({ ...sight, count: 0 })).toEqual({ first: 0, end: 0 });
  });

  test('scrolls no further than necessary', () => {
    expect([0, 10, 19, 20].map((index) => topToShow(index, sight))).toEqual([0, 560, 560, 616]);
  });

  test.each([
    ['ArrowDown', 11],
    ['ArrowUp', 9],
    ['PageDown', 19],
    ['PageUp', 1],
    ['Home', 0],
    ['End', 999],
    ['x', undefined],
    ['toString', undefined],
  ])('moves by %s from row 10 to %s', (key, row) => {
    expect(rowOfKey(key, 10, sight)).toBe(row);
  });

  test('stays within its rows for every key', () => {
    expect(rowOfKey('ArrowUp', 0, sight)).toBe(0);
    expect(rowOfKey('PageDown', 999, sight)).toBe(999);
  });
});

describe('the cost of launches', () => {
  const at = (launchId: string, profile: string, overrides: Partial<LaunchRecord> = {}) =>
    shownLaunch(recordOf(launchId, { plan: planOf(launchId, { profile, job }), ...overrides }), epochMs);
  const hour = 3600 * second;
  const prices = { pricePerHour: { linux: 0.5, gpu: 3 }, dollarsPerLaunch: 0.0003 };

  test('is that of their Pods, by repository and workflow, and of davit itself', () => {
    const other = { ...job, repository: 'acme/shop' };
    const launches = [
      at('a', 'linux', { status: 'failed', cleanedAtEpochMs: epochMs + hour }),
      at('b', 'linux', { status: 'connected' }),
      at('c', 'gpu', { plan: planOf('c', { profile: 'gpu', job: other }) }),
      at('d', 'windows'),
    ];

    const rows = costRows(launches, prices, epochMs + 2 * hour);

    expect(rows).toEqual([
      {
        of: 'acme/shop · CI',
        launches: 1,
        podSeconds: 7200,
        podDollars: 6,
        unpricedSeconds: 0,
        davitDollars: expect.closeTo(0.0003),
      },
      {
        of: 'acme/app · CI',
        launches: 3,
        podSeconds: 5 * 3600,
        podDollars: 1.5,
        unpricedSeconds: 7200,
        davitDollars: expect.closeTo(0.0009),
      },
    ]);
  });

  test('of a warm agent is its own, until it runs a job', () => {
    const membership = { ciSystem: 'gitea', scope: { organization: 'acme' }, labels: ['linux'], idleSeconds: 300 };
    const plan = planOf('a', { profile: 'linux', join: membership });
    const runs = { jobKey: 'gitea/1/2/1', sinceEpochMs: epochMs, job };

    const rows = costRows([at('a', 'linux', { plan }), at('b', 'linux', { plan, runs })], prices, epochMs + hour);

    expect(rows.map(({ of }) => of)).toEqual(['warm agents', 'acme/app · CI']);
  });

  test('uses the price that the profile had, unless the console has another one', () => {
    const launches = [
      at('a', 'linux', { plan: planOf('a', { profile: 'linux', job, pricePerHour: 7 }) }),
      at('b', 'windows', { plan: planOf('b', { profile: 'windows', job, pricePerHour: 2 }) }),
      at('c', 'windows', { plan: planOf('c', { profile: 'windows', job, pricePerHour: 1 }) }),
      at('d', 'mac'),
    ];

    expect(costRows(launches, prices, epochMs + hour)).toMatchObject([{ podDollars: 3.5, unpricedSeconds: 3600 }]);
    expect(pricesInWords(launches, prices)).toEqual([
      'linux costs $0.5 an hour',
      'windows costs $1 an hour',
      'windows costs $2 an hour',
    ]);
  });

  test('is nothing for a job that was over before its launch was requested', () => {
    const [row] = costRows([shownLaunch(tombstoneOf('a'), epochMs)], prices, epochMs + hour);

    expect(row).toMatchObject({ launches: 1, podSeconds: 0, podDollars: 0, davitDollars: 0 });
  });
});

test("davit's own cost of a launch is that of docs/cost.md", async () => {
  const [, of1000 = ''] = /\*\*\$([\d.]+) for 1,000 launches\*\*/.exec(await readFile('docs/cost.md', 'utf8')) ?? [];

  expect(dollarsPerLaunch).toBeCloseTo(Number(of1000) / 1000, 4);
});
