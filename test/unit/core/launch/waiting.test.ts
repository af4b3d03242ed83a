import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { waitingOf } from '../../../../core/launch/waiting.ts';
import { epochMs, planOf, recordOf, signalOf } from '../../../contract/launch-fixtures.ts';

const placed = { serviceMs: 10, portMs: 20, podMs: 30, hostMs: 40, tokenMs: 50 };
const dialOut = { plan: planOf('job', { expose: 'none' as const }) };

describe('the step that a launch waits in, and when davit gives up', () => {
  test.each<[string, Partial<LaunchRecord>, string, number, number, string]>([
    ['nothing is there yet', { timeline: {} }, 'CreateService', 0, 600_000, 'deadlines.serviceSeconds'],
    ['an agent that dials out', { ...dialOut, timeline: {} }, 'CreatePod', 0, 600_000, 'deadlines.podSeconds'],
    ['the Service is there', { timeline: { serviceMs: 10 } }, 'PollNodePort', 10, 60_010, 'deadlines.nodePortSeconds'],
    [
      'the port is known',
      { timeline: { serviceMs: 10, portMs: 20 } },
      'CreatePod',
      20,
      600_020,
      'deadlines.podSeconds',
    ],
    ['the Pod is there', { timeline: { podMs: 30 } }, 'PollHostIP', 30, 900_030, 'deadlines.placementSeconds'],
    [
      'the host is known',
      { timeline: { podMs: 30, hostMs: 40 } },
      'PublishToken',
      40,
      60_040,
      'deadlines.publishSeconds',
    ],
    ['the token is there', { timeline: placed }, 'PublishToken', 50, 600_050, 'deadlines.connectSeconds'],
    [
      'a grace period ends sooner',
      { timeline: placed, signal: signalOf({ code: 'ImagePullFailed', sinceEpochMs: epochMs + 1000 }) },
      'PublishToken',
      50,
      31_000,
      'graces.imagePullSeconds',
    ],
    [
      'the step ends before a grace period',
      { timeline: placed, signal: signalOf({ code: 'ImagePullFailed', sinceEpochMs: epochMs + 590_000 }) },
      'PublishToken',
      50,
      600_050,
      'deadlines.connectSeconds',
    ],
    [
      'a full quota has a deadline of its own',
      {
        timeline: { serviceMs: 1, portMs: 2 },
        signal: signalOf({ code: 'QuotaExceeded', sinceEpochMs: epochMs + 5000 }),
      },
      'CreatePod',
      2,
      605_000,
      'deadlines.quotaSeconds',
    ],
  ])('%s', (_what, changes, step, sinceMs, untilMs, limit) => {
    const waiting = waitingOf(recordOf('job', changes));

    expect(waiting).toEqual({ step, sinceEpochMs: epochMs + sinceMs, untilEpochMs: epochMs + untilMs, limit });
  });

  test.each<[string, Partial<LaunchRecord>]>([
    ['a launch that has just begun', {}],
    ['a connected launch', { status: 'connected', timeline: placed }],
    ['a failed launch', { status: 'failed', timeline: placed }],
  ])('%s has none', (_what, changes) => {
    expect(waitingOf(recordOf('job', changes))).toBeUndefined();
  });
});
