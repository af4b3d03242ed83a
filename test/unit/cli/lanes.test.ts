import { axisOf, lanesOf, stateWords } from '../../../cli/view/lanes.ts';
import type { LaunchRecord } from '../../../core/launch/launch-record.ts';
import { endingOf, epochMs, planOf, recordOf, signalOf } from '../../contract/launch-fixtures.ts';
import { shownLaunch } from '../../support/shown-launch.ts';

const now = epochMs + 100_000;
const viewOf = (overrides: Partial<LaunchRecord>) => shownLaunch(recordOf('api-1', overrides), now);
const requested = (agoMs: number) => {
  const at = { requestedAtEpochMs: now - agoMs, startedAtEpochMs: now - agoMs };
  return viewOf({ plan: planOf('api-1', at), requestedAtEpochMs: now - agoMs });
};

test.each([
  [[30_000], 120_000],
  [[30_000, 130_000], 120_000],
  [[130_000], 300_000],
  [[2 * 86_400_000], 86_400_000],
  [[], 120_000],
])('launches of the ages %j have an axis of %i ms', (ages, lengthMs) => {
  expect(axisOf(ages.map(requested), now)).toMatchObject({ lengthMs });
});

test('the time in which a Pod is held is not that of the clean-up', () => {
  const ending = endingOf({ atEpochMs: epochMs + 10_000 });
  const hold = { untilEpochMs: epochMs + 90_000 };
  const held = viewOf({ status: 'cleaning', ending, hold });
  const over = { status: 'failed', ending, cleanedAtEpochMs: epochMs + 70_000 } as const;
  const ended = viewOf({ ...over, hold: { ...hold, releasedAtEpochMs: epochMs + 60_000 } });
  const withoutPod = viewOf({ ...over, hold });

  const lanes = lanesOf([held, ended, withoutPod], { lengthMs: 100_000, ticksMs: [] }, now);

  expect(lanes.map(({ bars }) => bars.map(({ part, to }) => `${part} ${to}`))).toEqual([
    ['trouble 0.1', 'held 1'],
    ['trouble 0.1', 'held 0.6', 'cleans 0.7'],
    ['trouble 0.1', 'cleans 0.7'],
  ]);
});

test('on a common axis, a crash of 0.3 s is shorter than a run of 40 s', () => {
  const crash = viewOf({
    status: 'failed',
    timeline: {},
    ending: endingOf({ atEpochMs: epochMs + 300 }),
    cleanedAtEpochMs: epochMs + 300,
  });
  const run = viewOf({
    status: 'connected',
    connectedAtEpochMs: epochMs,
    runs: { jobKey: 'k', sinceEpochMs: now - 40_000 },
  });

  const [short, long] = lanesOf([crash, run], { lengthMs: 100_000, ticksMs: [] }, now);

  expect(short).toMatchObject({ isCut: false, bars: [{ part: 'trouble', from: 0, to: 0.003 }] });
  expect(long?.bars).toEqual([
    { part: 'idle', from: 0, to: 0.6 },
    { part: 'runs', from: 0.6, to: 1 },
  ]);
});

test('a launch that began before the axis does is cut there', () => {
  const [lane] = lanesOf([requested(300_000)], { lengthMs: 120_000, ticksMs: [] }, now);

  expect(lane).toMatchObject({ isCut: true, bars: [{ part: 'prepares', from: 0, to: 1 }] });
});

const runs = { jobKey: 'k', sinceEpochMs: epochMs + 10_000 };
test.each<[Partial<LaunchRecord>, string]>([
  [{}, 'starts, 1 min 40 s'],
  [{ signal: signalOf({ code: 'Unschedulable', sinceEpochMs: epochMs + 40_000 }) }, 'Unschedulable, 1 min'],
  [{ status: 'connected', connectedAtEpochMs: epochMs + 40_000 }, 'connected, 1 min'],
  [{ status: 'connected', standby: { sinceEpochMs: epochMs + 40_000 } }, 'stands by, 1 min'],
  [{ status: 'connected', connectedAtEpochMs: epochMs, runs }, 'runs, 1 min 30 s'],
  [{ status: 'terminated', runs, ran: { conclusion: 'success', atEpochMs: epochMs + 35_000 } }, 'success in 25 s'],
  [{ status: 'terminated', ending: endingOf({ outcome: 'terminated' }) }, 'ended'],
  [{ status: 'failed', ending: endingOf() }, 'ImagePullFailed'],
])('the launch %j is %j', (overrides, words) => {
  expect(stateWords(viewOf(overrides), now)).toBe(words);
});
