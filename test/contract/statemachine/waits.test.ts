import {
  heldMs,
  type Look,
  looksOf,
  pauseOf,
  saidPauseSeconds,
  startedBetween,
} from '../../../scripts/statemachine/waits.ts';

const agents = Array.from({ length: 200 }, (_, index) => `davit-github-${index}-2-1`);
const names = ['PollNodePort', 'PollHostIP', 'PublishToken'] as const;
const placements = ['PollNodePort', 'PollHostIP'] as const;
const waitSeconds = 600;

test.each(names)('%s passes on the longest pause of its Retry', (name) => {
  const { IntervalSeconds, MaxDelaySeconds = IntervalSeconds, JitterStrategy } = pauseOf(name);

  expect(saidPauseSeconds(name)).toBe(MaxDelaySeconds);
  expect(JitterStrategy).toBe('NONE');
});

test.each(names)('%s has attempts for the longest deadline, and looks until then', (name) => {
  for (const agent of agents.slice(0, 20)) expect(looksOf(name, agent).at(-1)?.endMs).toBe(21_600_000);
});

describe.each(names)('after its first minute, a launch that waits in %s', (name) => {
  const waiting = agents.map((agent) => looksOf(name, agent, waitSeconds));
  const minutes = Array.from({ length: 40 }, (_, index) => (60 + index * 7) * 1000);

  test('takes at most five state transitions a minute', () => {
    const started = waiting.flatMap((looks) => minutes.map((from) => startedBetween(looks, from, from + 60_000)));

    expect(Math.max(...started)).toBeLessThanOrEqual(5);
  });

  test('occupies a function for at most a quarter of any minute', () => {
    const held = waiting.flatMap((looks) => minutes.map((from) => heldMs(looks, from, from + 60_000)));

    expect(Math.max(...held)).toBeLessThanOrEqual(60_000 / 4);
  });
});

test.each([
  { name: 'PollNodePort', seconds: 15 },
  { name: 'PollHostIP', seconds: 15 },
  { name: 'PublishToken', seconds: 28 },
] as const)('a change is seen within $seconds s in $name', ({ name, seconds }) => {
  for (const agent of agents) {
    const pauses = pausesOf(looksOf(name, agent, waitSeconds));

    expect(Math.max(...pauses.map(({ startMs, endMs }) => endMs - startMs)) / 1000).toBeLessThan(seconds);
  }
});

/** The times without a look. */
function pausesOf(looks: readonly Look[]): Look[] {
  return looks.slice(1).map(({ startMs }, index) => ({ startMs: looks[index]?.endMs ?? 0, endMs: startMs }));
}

test.each(placements)('a change in the first half minute of %s is seen within two seconds', (name) => {
  for (const agent of agents) {
    const early = pausesOf(looksOf(name, agent, waitSeconds)).filter(({ startMs }) => startMs < 30_000);

    for (const { startMs, endMs } of early) expect(endMs - startMs).toBeLessThanOrEqual(2000);
  }
});

// 3 s of each 14 s are 43 launches.
test.each(placements)('when 200 launches begin together in %s, at most 60 occupy a function at any moment', (name) => {
  const waiting = agents.map((agent) => looksOf(name, agent, 300));
  const moments = Array.from({ length: 120 }, (_, index) => 120_000 + index * 500);
  const held = moments.map((at) => waiting.filter((looks) => heldMs(looks, at, at + 1) > 0).length);

  expect(Math.max(...held)).toBeLessThanOrEqual(60);
});
