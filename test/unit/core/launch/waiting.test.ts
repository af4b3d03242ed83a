import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { waitingOf } from '../../../../core/launch/waiting.ts';
import { epochMs, planOf, recordOf, signalOf } from '../../../contract/launch-fixtures.ts';

const placed = { serviceMs: 10, portMs: 20, podMs: 30, hostMs: 40, tokenMs: 50 };
const ported = { timeline: { serviceMs: 10, portMs: 20 } };
const hosted = { timeline: { podMs: 30, hostMs: 40 } };
const dialOut = { plan: planOf('job', { expose: 'none' as const }) };

const full = { ...ported, signal: signalOf({ code: 'QuotaExceeded', sinceEpochMs: epochMs + 5000 }) };
const pullFailing = (sinceMs: number) => ({
  timeline: placed,
  signal: signalOf({ code: 'ImagePullFailed', sinceEpochMs: epochMs + sinceMs }),
});

describe('the step that a launch waits in, and when davit gives up', () => {
  test.each<[string, Partial<LaunchRecord>, string, number, number, string]>([
    ['nothing is there yet', { timeline: {} }, 'CreateService', 0, 600_000, 'deadlines.serviceSeconds'],
    ['an agent that dials out', { ...dialOut, timeline: {} }, 'CreatePod', 0, 600_000, 'deadlines.podSeconds'],
    ['the Service is there', { timeline: { serviceMs: 10 } }, 'PollNodePort', 10, 60_010, 'deadlines.nodePortSeconds'],
    ['the port is known', ported, 'CreatePod', 20, 600_020, 'deadlines.podSeconds'],
    ['the Pod is there', { timeline: { podMs: 30 } }, 'PollHostIP', 30, 900_030, 'deadlines.placementSeconds'],
    ['the host is known', hosted, 'PublishToken', 40, 60_040, 'deadlines.publishSeconds'],
    ['the token is there', { timeline: placed }, 'PublishToken', 50, 600_050, 'deadlines.connectSeconds'],
    ['a grace period ends sooner', pullFailing(1000), 'PublishToken', 50, 31_000, 'graces.imagePullSeconds'],
    ['a step ends before a grace', pullFailing(590_000), 'PublishToken', 50, 600_050, 'deadlines.connectSeconds'],
    ['a full quota has a deadline of its own', full, 'CreatePod', 20, 605_000, 'deadlines.quotaSeconds'],
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
