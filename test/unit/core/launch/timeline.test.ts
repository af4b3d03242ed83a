import { podTimesOf, timelineOf, withPodTimes } from '../../../../core/launch/timeline.ts';
import type { PodView } from '../../../../core/pod/kubernetes-objects.ts';
import { podView, running, terminated, waiting } from '../../../support/pod-view.ts';

type Status = NonNullable<PodView['status']>;

const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-01T00:00:01Z' };
const scheduledAtEpochMs = 1_767_225_601_000;
const containersStartedAtEpochMs = 1_767_225_603_000;
const started = { name: 'agent', state: { terminated: { exitCode: 0, startedAt: '2026-01-01T00:00:03Z' } } };

describe("a Pod's times", () => {
  test.each<[what: string, status: Status, times: object]>([
    ['nothing for a Pod with an empty status', {}, {}],
    ['the time of scheduling', { conditions: [scheduled] }, { scheduledAtEpochMs }],
    ['nothing for a Pod that fits no node', { conditions: [{ ...scheduled, status: 'False' }] }, {}],
    ['nothing for a condition without a time', { conditions: [{ ...scheduled, lastTransitionTime: null }] }, {}],
    ["its container's start", { containerStatuses: [running('agent')] }, { containersStartedAtEpochMs }],
    ["an ended container's start", { containerStatuses: [started] }, { containersStartedAtEpochMs }],
    [
      'the time of scheduling, and of no other condition',
      { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:09Z' }, scheduled] },
      { scheduledAtEpochMs },
    ],
    ['nothing for a container without a state', { containerStatuses: [{ name: 'agent' }] }, {}],
    ['nothing for a waiting container', { containerStatuses: [waiting('agent', 'ContainerCreating')] }, {}],
    ['nothing for a container that never started', { containerStatuses: [terminated('agent', 128)] }, {}],
  ])('have %s', (_what, status, times) => {
    expect(podTimesOf(podView(status))).toStrictEqual(times);
  });

  test('have nothing before the Pod has a status', () => {
    expect(podTimesOf({ ...podView(), status: undefined })).toStrictEqual({});
  });

  test('have the start of the last of several containers, once all have started', () => {
    const pod = podView({ containerStatuses: [running('agent')] });
    const two = { ...pod, spec: { ...pod.spec, containers: [{ name: 'agent' }, { name: 'proxy' }] } };
    const late = { name: 'proxy', state: { running: { startedAt: '2026-01-01T00:00:09Z' } } };

    expect(podTimesOf(two)).toEqual({});
    expect(podTimesOf({ ...two, status: { containerStatuses: [running('agent'), late] } })).toEqual({
      containersStartedAtEpochMs: 1_767_225_609_000,
    });
  });
});

describe('a timeline', () => {
  const startedAtEpochMs = 1_767_225_600_250;

  test("has the steps' times, counted from the start of the generation", () => {
    expect(
      timelineOf({
        startedAtEpochMs,
        service: { createdAtEpochMs: 1_767_225_600_300 },
        nodePort: { readAtEpochMs: 1_767_225_600_310 },
        pod: { createdAtEpochMs: 1_767_225_600_400 },
        placement: { placedAtEpochMs: 1_767_225_602_250, seen: { scheduledAtEpochMs, containersStartedAtEpochMs } },
        token: { publishedAtEpochMs: 1_767_225_602_300 },
      }),
    ).toEqual({
      serviceMs: 50,
      portMs: 60,
      podMs: 150,
      scheduledMs: 750,
      containersMs: 2750,
      hostMs: 2000,
      tokenMs: 2050,
    });
  });

  test('lacks the steps that the generation has not reached', () => {
    expect(timelineOf({ startedAtEpochMs })).toEqual({});
    expect(timelineOf({ startedAtEpochMs, placement: { placedAtEpochMs: 1_767_225_602_250 } })).toEqual({
      hostMs: 2000,
    });
    expect(timelineOf({ startedAtEpochMs, pod: { createdAtEpochMs: 1_767_225_600_400 } })).toEqual({ podMs: 150 });
  });

  test("gets the times of its Pod, and keeps those that the Pod's status lacks", () => {
    const timeline = { podMs: 150, scheduledMs: 750 };

    expect(withPodTimes(timeline, startedAtEpochMs, { containersStartedAtEpochMs })).toEqual({
      podMs: 150,
      scheduledMs: 750,
      containersMs: 2750,
    });
    expect(withPodTimes(undefined, startedAtEpochMs, { scheduledAtEpochMs })).toEqual({ scheduledMs: 750 });
  });
});
