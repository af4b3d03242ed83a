import { splitTime } from '../../bench/time-split.ts';

const call = { user: 'davit', verb: 'create', resource: 'pods', name: 'agent', status: 201 };
const state = { launchId: 'launch-1', state: 'CreatePod' };
const timeline = {
  launchId: 'launch-1',
  agentName: 'davit-launch-1',
  sentEpochMs: 990,
  acceptedEpochMs: 1000,
  events: [
    { ...state, type: 'TaskStarted', atEpochMs: 1010 },
    { ...state, type: 'TaskSucceeded', atEpochMs: 1060 },
    { ...state, type: 'TaskStarted', atEpochMs: 1070 },
    { ...state, type: 'TaskFailed', atEpochMs: 1090 },
  ],
};

test("the parts of a launch's time add up to the whole, and each moment counts for one of them", () => {
  const calls = [{ ...call, startEpochMs: 1020, endEpochMs: 1040 }];
  const requests = [
    { service: 'dynamodb' as const, operation: 'GetItem', startEpochMs: 1035, endEpochMs: 1050 },
    { service: 'secretsmanager' as const, operation: 'GetSecretValue', startEpochMs: 1072, endEpochMs: 1075 },
    { service: 'lambda' as const, operation: 'POST /', startEpochMs: 1000, endEpochMs: 1100 },
  ];

  const split = splitTime(timeline, 1100, calls, requests);

  expect(split).toEqual({ kubernetes: 20, services: 13, functions: 37, engine: 30 });
});

test('an unfinished task counts for the functions to the end', () => {
  const open = { ...timeline, events: timeline.events.slice(0, 1) };

  expect(splitTime(open, 1100, [], [])).toEqual({ kubernetes: 0, services: 0, functions: 90, engine: 10 });
});
