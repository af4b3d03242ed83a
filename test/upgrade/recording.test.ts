import { type Moment, parseLaunch, withoutRepeats } from './recording.ts';

test('a file records only the changes between moments, and reads back complete', () => {
  const created: Moment = {
    name: 'CreatePod',
    atEpochMs: 1,
    data: { a: 1 },
    record: { v: 1 },
    services: [{}],
    pods: [],
  };
  const placed: Moment = { ...created, name: 'PollHostIP', atEpochMs: 2, pods: [{ uid: 'p' }], token: { port: 1 } };
  const { data: _data, token: _token, ...rest } = placed;
  const over: Moment = { ...rest, name: 'over', atEpochMs: 3, record: { v: 2 }, services: [] };
  const launch = { launchId: 'api-1', moments: [created, placed, over] };

  const file: unknown = JSON.parse(JSON.stringify(withoutRepeats(launch)));

  expect(file).toEqual({
    launchId: 'api-1',
    moments: [
      { name: 'CreatePod', atEpochMs: 1, data: { a: 1 }, record: { v: 1 }, services: [{}] },
      { name: 'PollHostIP', atEpochMs: 2, data: { a: 1 }, pods: [{ uid: 'p' }], token: { port: 1 } },
      { name: 'over', atEpochMs: 3, record: { v: 2 }, services: [], token: null },
    ],
  });
  expect(parseLaunch(file)).toEqual(launch);
});
