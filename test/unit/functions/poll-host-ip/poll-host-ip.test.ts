import { describe, expect, test } from '@jest/globals';
import { createPod } from '../../../../functions/create-pod/create-pod.ts';
import type { PodView } from '../../../../functions/domain/kubernetes-objects.ts';
import { pollHostIP } from '../../../../functions/poll-host-ip/poll-host-ip.ts';
import {
  makeTestDeps,
  requestLaunch,
  type TestDeps,
  testAgentName,
  testLaunchId,
} from '../../../support/make-test-deps.ts';
import { running, terminated, waiting } from '../../../support/pod-view.ts';
import { withPod } from '../../../support/run-steps.ts';

type Status = NonNullable<PodView['status']>;

const unschedulable: Status = {
  phase: 'Pending',
  conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes are available' }],
};
const pulling: Status = { phase: 'Pending', containerStatuses: [waiting('agent', 'ErrImagePull', 'not found')] };

function reportAfter({ clock, cluster }: TestDeps, ms: number, status: Status): void {
  clock.after(ms, () => cluster.report(testAgentName, status));
}

test.each(['Pending', 'Running', 'Unknown', 'Creating'])(
  'a host that is reported in phase %s is good',
  async (phase) => {
    const deps = makeTestDeps();
    const state = await withPod(deps);
    reportAfter(deps, 3200, { phase, hostIP: '10.0.0.7', containerStatuses: [running('agent')] });

    expect(await pollHostIP(deps, state)).toEqual({
      host: '10.0.0.7',
      resourceVersion: '5',
      placedAtEpochMs: 1_767_225_603_200,
    });
  },
);

test('a launch that is not exposed is reached at its Pod’s own address, and nowhere else', async () => {
  const deps = makeTestDeps();
  const plan = { ...(await requestLaunch(deps, { expose: 'none' })), expose: 'none' as const };
  const state = { ...plan, pod: await createPod(deps, plan) };
  reportAfter(deps, 1000, { phase: 'Pending', hostIP: '10.0.0.7' });
  reportAfter(deps, 2000, { phase: 'Running', hostIP: '10.0.0.7', podIP: '10.244.1.9' });

  expect(await pollHostIP(deps, state)).toMatchObject({ host: '10.244.1.9', placedAtEpochMs: 1_767_225_602_000 });
});

test('a change between the creation and the first look is not missed', async () => {
  const deps = makeTestDeps();
  const state = await withPod(deps);
  deps.cluster.report(testAgentName, { phase: 'Running', hostIP: '10.0.0.7' });

  expect(await pollHostIP(deps, state)).toMatchObject({ host: '10.0.0.7', placedAtEpochMs: 1_767_225_600_000 });
});

test('a retry judges the Pod as it is, not as it was', async () => {
  const deps = makeTestDeps();
  const state = await withPod(deps);
  deps.cluster.report(testAgentName, pulling);
  deps.cluster.report(testAgentName, { phase: 'Running', hostIP: '10.0.0.7' });
  deps.clock.advance(60_000);

  expect(await pollHostIP(deps, state)).toMatchObject({ host: '10.0.0.7' });
  expect((await deps.launches.get(testLaunchId))?.signal).toBeUndefined();
});

test('a Pod without a host is looked at again after 20 s, and what the cluster says is told', async () => {
  const deps = makeTestDeps();
  const state = await withPod(deps);
  reportAfter(deps, 500, unschedulable);

  await expect(pollHostIP(deps, state)).rejects.toThrow('PlacementPending: Unschedulable: 0/3 nodes are available');
  expect(deps.nowEpochMs()).toBe(1_767_225_620_000);
  expect((await deps.launches.get(testLaunchId))?.signal).toEqual({
    code: 'Unschedulable',
    says: 'Unschedulable: 0/3 nodes are available',
    sinceEpochMs: 1_767_225_600_500,
  });
});

test('the deadline’s error says which step, how long, and the scheduler’s words', async () => {
  const deps = makeTestDeps();
  const state = await withPod(deps);
  deps.cluster.report(testAgentName, unschedulable);
  deps.clock.advance(885_000);

  await expect(pollHostIP(deps, state)).rejects.toThrow(
    'PlacementDeadlineExceeded: PollHostIP gave up after 900 s of 900 s; at last: Unschedulable: 0/3 nodes are available (launch github-1-2-1, cluster sandbox, namespace davit-agents, pod davit-github-1-2-1)',
  );
});

test('a Pod whose containers run but whose node reports no host is waited for, and the error names the node', async () => {
  const deps = makeTestDeps();
  const state = await withPod(deps);
  deps.cluster.report(testAgentName, { phase: 'Pending', hostIP: '', containerStatuses: [running('agent')] });
  deps.clock.advance(885_000);

  await expect(pollHostIP(deps, state)).rejects.toThrow(
    'PlacementDeadlineExceeded: PollHostIP gave up after 900 s of 900 s; at last: phase Pending; container agent running (launch github-1-2-1, cluster sandbox, namespace davit-agents, pod davit-github-1-2-1, node node-1)',
  );
});

test('an image pull has its grace across attempts, counted from when it first failed', async () => {
  const deps = makeTestDeps();
  const state = await withPod(deps);
  reportAfter(deps, 5000, pulling);
  reportAfter(deps, 37_000, {
    phase: 'Pending',
    containerStatuses: [waiting('agent', 'ImagePullBackOff', 'not found')],
  });

  await expect(pollHostIP(deps, state)).rejects.toMatchObject({ code: 'PlacementPending' });
  await expect(pollHostIP(deps, state)).rejects.toThrow(
    'ImagePullFailed: ImagePullBackOff: not found (for 32 s; grace is 30 s)',
  );
  expect(deps.nowEpochMs()).toBe(1_767_225_637_000);
});

test('an image that is pulled within its grace harms nothing', async () => {
  const deps = makeTestDeps();
  const state = await withPod(deps);
  reportAfter(deps, 1000, pulling);
  reportAfter(deps, 9000, { phase: 'Running', hostIP: '10.0.0.7' });

  expect(await pollHostIP(deps, state)).toMatchObject({ host: '10.0.0.7' });
});

describe('the launch fails at once', () => {
  test.each([
    { code: 'PodFailed', status: { phase: 'Failed', hostIP: '10.0.0.7', reason: 'Evicted' } },
    { code: 'PodSucceeded', status: { phase: 'Succeeded', hostIP: '10.0.0.7' } },
    { code: 'ContainerTerminated', status: { phase: 'Running', containerStatuses: [terminated('agent', 1)] } },
    {
      code: 'ImageNameInvalid',
      status: { phase: 'Pending', containerStatuses: [waiting('agent', 'InvalidImageName')] },
    },
  ])('as $code, even where a host is reported', async ({ code, status }) => {
    const deps = makeTestDeps();
    const state = await withPod(deps);
    reportAfter(deps, 1000, status);

    await expect(pollHostIP(deps, state)).rejects.toMatchObject({ name: 'TerminalError', code });
    expect(deps.nowEpochMs()).toBe(1_767_225_601_000);
  });

  test('when the Pod is deleted from outside', async () => {
    const deps = makeTestDeps();
    const state = await withPod(deps);
    deps.clock.after(1000, () => deps.cluster.pods.remove(testAgentName));

    await expect(pollHostIP(deps, state)).rejects.toThrow('DeletedExternally: the Pod is gone');
  });
});
