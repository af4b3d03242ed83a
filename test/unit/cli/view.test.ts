import { durationWords, exactDurationWords, readDuration } from '../../../cli/view/duration.ts';
import { launchLines } from '../../../cli/view/launch-lines.ts';
import { table } from '../../../cli/view/table.ts';
import { type Launch, timelineOf } from '../../../cli/view/timeline.ts';
import { whyLine, whyOf } from '../../../cli/view/why.ts';
import { errorCodes } from '../../../core/errors/error-codes.ts';
import type { LaunchRecord } from '../../../core/launch/launch-record.ts';
import { printable } from '../../../core/printable.ts';
import { endingOf, epochMs, planOf, recordOf } from '../../contract/launch-fixtures.ts';
import { shownLaunch } from '../../support/shown-launch.ts';

const failed: Launch = {
  launchId: 'github-1-2-1',
  agentName: 'davit-github-1-2-1-r2',
  status: 'failed',
  requestedAt: '2026-06-01T10:00:00.000Z',
  forgottenAt: '2026-06-15T10:00:00.000Z',
  generations: [
    {
      agentName: 'davit-github-1-2-1',
      code: 'PodEvicted',
      message: 'out of memory',
      endedAt: '2026-06-01T10:00:30.000Z',
    },
  ],
  signal: {
    code: 'ImagePullBackOff',
    detail: 'no such image',
    since: '2026-06-01T10:00:40.000Z',
    forSeconds: 50,
  },
  ending: {
    outcome: 'failed',
    code: 'ImageUnavailable',
    message: 'the image cannot be pulled',
    means: 'The image cannot be pulled.',
    advice: 'Correct the image.',
    by: 'the state machine',
    at: '2026-06-01T10:01:30.000Z',
  },
  cleanedAt: '2026-06-01T10:01:35.000Z',
  diagnostics: {
    at: '2026-06-01T10:01:30.000Z',
    events: [{ type: 'Warning', reason: 'Failed', message: 'pull access denied', count: 3 }],
    log: { container: 'agent', text: 'one\n\u001b[2Jtwo\n' },
    unread: [],
  },
};

describe('the life of a launch', () => {
  test('is listed in chronological order', () => {
    expect(timelineOf(failed)).toEqual([
      { at: '2026-06-01T10:00:00.000Z', what: 'requested' },
      { at: '2026-06-01T10:00:30.000Z', what: 'davit-github-1-2-1 is lost: out of memory' },
      { at: '2026-06-01T10:00:40.000Z', what: 'ImagePullBackOff: no such image' },
      { at: '2026-06-01T10:01:30.000Z', what: 'failed: ImageUnavailable' },
      { at: '2026-06-01T10:01:35.000Z', what: 'the Pod and the Service are removed' },
    ]);
  });

  test('says since when its agent stands by, and for which job it was summoned', () => {
    const connectedAt = '2026-06-01T10:00:05.000Z';
    const standby = { since: connectedAt, summonedAt: '2026-06-01T10:30:00.000Z', summonedFor: 'github/1/3/1' };
    const { ending: _ending, signal: _signal, generations: _generations, ...launch } = failed;

    expect(timelineOf({ ...launch, status: 'connected', connectedAt, standby }).map(({ what }) => what)).toEqual(
      expect.arrayContaining(['no job waits: the agent stands by', 'it is summoned for job github/1/3/1']),
    );
  });

  test("shows the reason, the advice, and the cluster's words without control characters", () => {
    const text = launchLines(failed, Date.parse('2026-06-01T10:02:00.000Z')).join('\n');

    expect(text).toMatch(/^launch +github-1-2-1, failed$/m);
    expect(text).toMatch(/^2026-06-01 10:00:30Z {2}\+30 s +davit-github-1-2-1 is lost/m);
    expect(text).toMatch(
      /^now +it failed, 30 s ago\nwhy +ImageUnavailable: the image cannot be pulled\n +The image cannot be pulled\.$/m,
    );
    expect(text).toMatch(/^do +Correct the image\.$/m);
    expect(text).toMatch(/^event +Warning Failed \(3\): pull access denied$/m);
    expect(text).toMatch(/^ +\[2Jtwo$/m);
    expect(text).not.toContain('\u001b');
  });
});

test('a failed launch says its cause once, then what to do, the log, the Events, and last its timeline', () => {
  const lines = launchLines(failed, Date.parse('2026-06-01T10:02:00.000Z'));

  const order = ['why', 'do', 'log', 'event', '2026-06-01', 'phases'];
  const places = order.map((start) => lines.findIndex((line) => line.startsWith(start)));
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(lines.join('\n').match(/cannot be pulled/g)).toHaveLength(2);
  expect(lines.join('\n')).not.toMatch(/state machine|no such image.*\nwhy/);
});

describe('a launch whose agent has not connected', () => {
  const seconds = (count: number) => epochMs + count * 1000;
  const placed = { serviceMs: 50, portMs: 60, podMs: 400, scheduledMs: 500, hostMs: 900, tokenMs: 1000 };
  const podState = { detail: 'phase Running; container agent running', atEpochMs: seconds(5) };
  const waits = shownLaunch(recordOf('api-1', { timeline: placed, podState }), seconds(41));

  test('says its step, its Pod, when davit gives up, and the commands to look', () => {
    expect(launchLines(waits, seconds(41))).toEqual(
      expect.arrayContaining([
        'now       the agent has not connected yet, for 40 s',
        '          davit gives up in 9 min 20 s, at 00:10:01 UTC (deadlines.connectSeconds)',
        'pod       phase Running; container agent running',
        'look      davit logs api-1 --follow',
        '          kubectl --namespace davit-agents describe pod davit-api-1',
      ]),
    );
  });

  test('is one line in a list', () => {
    expect(whyLine(waits, seconds(41))).toBe('the agent has not connected yet, for 40 s');
  });
});

test.each([
  ['; an autoscaler acts: TriggeredScaleUp: group 3->4', 'Nothing: an autoscaler adds a node. It takes some minutes.'],
  [
    '; an autoscaler does not act: NotTriggerScaleUp: max size',
    'Read which demand of the Pod each node fails. Add a node that meets it, or ask for less in the profile.',
  ],
  [
    '',
    'Read which demand of the Pod each node fails. Add a node that meets it, or ask for less in the profile. No autoscaler has said that it acts for this Pod.',
  ],
])('a Pod that fits on no node says what to do (%s)', (told, advice) => {
  const signal = {
    code: 'Unschedulable',
    detail: `Unschedulable: 0/3 nodes are available${told}`,
    sinceEpochMs: epochMs,
  };

  const why = whyOf(shownLaunch(recordOf('api-1', { signal }), epochMs), epochMs);

  expect(why).toMatchObject({ code: 'Unschedulable', detail: `0/3 nodes are available${told}`, advice });
});

describe.each(Object.keys(errorCodes))('%s is explained to a person who looks at a launch', (code) => {
  const linesOf = (record: Partial<LaunchRecord>) =>
    launchLines(shownLaunch(recordOf('api-1', record), epochMs), epochMs);
  const why = `why       ${code}: in the cluster's words`;
  const explanation = [expect.stringMatching(/^ {10}[A-Zd].*\.$/), expect.stringMatching(/^do {8}[A-Z`].*\.$/)];

  test('that waits because of it', () => {
    const signal = { code, detail: "in the cluster's words", sinceEpochMs: epochMs };

    expect(linesOf({ signal })).toEqual(expect.arrayContaining([why, ...explanation]));
  });

  test('that failed because of it', () => {
    const ending = endingOf({ outcome: 'failed', code, message: "in the cluster's words", atEpochMs: epochMs });

    const lines = linesOf({ status: 'failed', ending });

    expect(lines).toEqual(expect.arrayContaining([why, ...explanation]));
  });
});

test('a launch shows the size that its job asked for', () => {
  const plan = planOf('api-1', { size: { cpu: '4', memory: '8Gi' } });

  expect(launchLines(shownLaunch(recordOf('api-1', { plan }), epochMs), epochMs).join('\n')).toMatch(
    /^size +cpu 4, memory 8Gi$/m,
  );
});

describe('the life of a launch with a timeline', () => {
  const at = (seconds: number) => epochMs + seconds * 1000;
  const timeline = {
    serviceMs: 50,
    portMs: 60,
    podMs: 400,
    scheduledMs: 0,
    hostMs: 31_500,
    tokenMs: 31_600,
    containersMs: 44_000,
  };
  const worked: Partial<LaunchRecord> = {
    status: 'terminated',
    timeline,
    connectedAtEpochMs: at(45),
    ending: endingOf({ outcome: 'terminated', message: 'its job is over', by: 'github', atEpochMs: at(600) }),
    cleanedAtEpochMs: at(601),
  };
  const textOf = (record: Partial<LaunchRecord>, seconds: number) =>
    launchLines(shownLaunch(recordOf('api-1', record), at(seconds)), at(seconds)).join('\n');

  test('has every step in order, even if the cluster tells whole seconds', () => {
    const moments = timelineOf(shownLaunch(recordOf('api-1', worked), at(700)));

    expect(moments.map(({ at: moment, what }) => `${moment.slice(17, 23)} ${what}`)).toEqual([
      '00.000 requested',
      '00.050 the Service exists',
      '00.060 its port is known',
      '00.400 the Pod exists',
      '00.400 the Pod has a node',
      '31.500 its address is known',
      '31.600 davit has published the address',
      '44.000 the containers have started',
      '45.000 davit-api-1 has connected',
      '00.000 ended: its job is over',
      '01.000 the Pod and the Service are removed',
    ]);
  });

  test('says how long each phase took, and which was the longest without an agent', () => {
    const text = textOf(worked, 700);

    expect(text).toMatch(/^phases +davit makes the Service +50 ms$/m);
    expect(text).toMatch(/^ +the node takes the Pod +31 s, the longest of 45 s without an agent$/m);
    expect(text).toMatch(/^ +images are pulled, containers start +12 s$/m);
    expect(text).toMatch(/^ +the agent is connected +9 min 15 s$/m);
    expect(text.match(/the longest/g)).toHaveLength(1);
  });

  test('says how long the present phase has lasted, and what the agents before it reached', () => {
    const ended = { agentName: 'davit-api-1', code: 'PodEvicted', message: 'drained', endedAtEpochMs: at(60) };
    const plan = planOf('api-1', { generation: 2, agentName: 'davit-api-1-r2', startedAtEpochMs: at(60) });

    const text = textOf({ plan, generations: [{ ...ended, timeline }], timeline: { serviceMs: 100 } }, 90);

    expect(text).toMatch(
      /^2026-01-01 00:00:44Z .*the containers have started\n2026-01-01 00:01:00Z .*is lost: drained\n/m,
    );
    expect(text).toMatch(/^2026-01-01 00:01:00Z .*the Service exists$/m);
    expect(text).toMatch(/^ +the Service gets its port +30 s so far$/m);
  });
});

test.each([
  [350, '350 ms'],
  [-5, '0 ms'],
  [1000, '1 s'],
])('%i ms are %s, exactly', (ms, words) => {
  expect(exactDurationWords(ms)).toBe(words);
});

test.each([
  [0, '0 s'],
  [59_400, '59 s'],
  [60_000, '1 min'],
  [3_661_000, '1 h 1 min'],
  [3_605_000, '1 h'],
  [86_403_000, '1 d'],
  [90_061_000, '1 d 1 h'],
  [-5, '0 s'],
])('%i ms are %s', (ms, words) => {
  expect(durationWords(ms)).toBe(words);
});

test.each([
  ['90s', 90_000],
  ['10m', 600_000],
  ['2h', 7_200_000],
  ['1d', 86_400_000],
  ['1', undefined],
  ['h', undefined],
  ['1.5h', undefined],
])('%s is %s ms', (text, ms) => {
  expect(readDuration(text)).toBe(ms);
});

test('a table has columns as wide as their content, and lines as long as the terminal', () => {
  const columns = [
    { title: 'A', of: ([a]: [string, string]) => a },
    { title: 'LONG', of: ([, b]: [string, string]) => b },
  ];

  const rows: [string, string][] = [
    ['aaa', 'x'],
    ['b', 'a long text\nwith a line break'],
  ];

  expect(table(columns, rows, 16)).toEqual(['A    LONG', 'aaa  x', 'b    a long tex…']);
  expect(printable('a\u0007b\r')).toBe('a b ');
});

test('a long name of one row hides no column of the others on a terminal', () => {
  const columns = [
    { title: 'JOB', of: ([a]: [string, string]) => a, mostOnTerminal: 8 },
    { title: 'WAITS FOR', of: ([, b]: [string, string]) => b },
  ];
  const rows: [string, string][] = [
    ['build', 'a slot'],
    ['x'.repeat(200), 'an agent'],
  ];

  expect(table(columns, rows, 20)).toEqual(['JOB       WAITS FOR', 'build     a slot', 'xxxxxxx…  an agent']);
  expect(table(columns, rows)[2]).toBe(`${'x'.repeat(200)}  an agent`);
});
