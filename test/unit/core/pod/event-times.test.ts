import { epochMsOf, lastSeenEpochMs, newestFirst, secondOf } from '../../../../core/pod/event-times.ts';
import { EventView } from '../../../../core/pod/kubernetes-objects.ts';

const [first, last, inSeries] = ['2026-01-01T00:00:01Z', '2026-01-01T00:00:03Z', '2026-01-01T00:00:04Z'];
const eventTime = '2026-01-01T00:00:02.500000Z';
const eventWith = (times: object) => EventView.parse({ involvedObject: {}, ...times });

test.each([
  {
    times: { series: { count: 2, lastObservedTime: inSeries }, lastTimestamp: last, eventTime, firstTimestamp: first },
    epochMs: 1_767_225_604_000,
  },
  { times: { lastTimestamp: last, eventTime, firstTimestamp: first }, epochMs: 1_767_225_603_000 },
  { times: { lastTimestamp: null, eventTime, firstTimestamp: first }, epochMs: 1_767_225_602_500 },
  { times: { eventTime: null, firstTimestamp: first }, epochMs: 1_767_225_601_000 },
  { times: {}, epochMs: 0 },
])('an Event with $times was last seen at $epochMs', ({ times, epochMs }) => {
  expect(lastSeenEpochMs(eventWith(times))).toBe(epochMs);
});

test.each([null, undefined, '', 'soon'])('%j is no time', (time) => {
  expect(epochMsOf(time)).toBe(0);
});

test('Events come newest first, and those without a time last', () => {
  const [early, late, never] = [{ eventTime: first }, { eventTime: last }, {}].map(eventWith);

  expect(newestFirst([never, early, late].flatMap((event) => event ?? []))).toEqual([late, early, never]);
});

test('a moment is truncated to its second', () => {
  expect(secondOf(1_767_225_602_999)).toBe(1_767_225_602);
});
