import { looksIn } from '../../prove/bench/looks.ts';

const event = (type: string, atEpochMs: number, state = 'PollHostIP') => ({ launchId: 'x', type, state, atEpochMs });

test('an attempt lasts from when it is scheduled until it ends, and the last one until now', () => {
  const events = [
    event('TaskStateEntered', 900),
    event('attempted', 1000),
    event('attempted', 1500, 'PublishToken'),
    event('failed', 4000),
    event('attempted', 15_000),
    event('left', 18_000),
    event('attempted', 29_000),
  ];

  expect(looksIn(events, 'PollHostIP', 30_000)).toEqual([
    { startMs: 0, endMs: 3000 },
    { startMs: 14_000, endMs: 17_000 },
    { startMs: 28_000, endMs: 29_000 },
  ]);
});

test('a state that was never entered has no attempts', () => {
  expect(looksIn([event('attempted', 1000)], 'PublishToken', 2000)).toEqual([]);
});
