import { splitTime } from '../../prove/bench/time-split.ts';

const call = { user: 'davit', verb: 'create', resource: 'pods', name: 'agent', status: 201 };
const state = { launchId: 'launch-1', state: 'CreatePod' };
const timeline = {
  launchId: 'launch-1',
  agentName: 'davit-launch-1',
  sentEpochMs: 990,
  acceptedEpochMs: 1000,
  events: [
    { launchId: 'launch-1', state: 'IsExposed', type: 'left', atEpochMs: 1005 },
    { ...state, type: 'attempted', atEpochMs: 1010 },
    { ...state, type: 'left', atEpochMs: 1060 },
    { ...state, type: 'attempted', atEpochMs: 1070 },
    { ...state, type: 'failed', atEpochMs: 1090 },
  ],
};

test("the parts of a launch's time add up to the whole, and each moment counts for one of them", () => {
  const calls = [{ ...call, startEpochMs: 1020, endEpochMs: 1040 }];
  const split = splitTime(timeline, 1100, calls);

  expect(split).toEqual({ kubernetes: 20, functions: 50, engine: 30 });
});

test('an unfinished task counts for the functions to the end', () => {
  const open = { ...timeline, events: timeline.events.slice(0, 2) };

  expect(splitTime(open, 1100, [])).toEqual({ kubernetes: 0, functions: 90, engine: 10 });
});
