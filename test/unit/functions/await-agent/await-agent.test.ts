import { describe, expect, test } from '@jest/globals';
import { awaitAgent } from '../../../../functions/await-agent/await-agent.ts';
import { TransientError } from '../../../../functions/domain/errors.ts';
import { pollHostIP } from '../../../../functions/poll-host-ip/poll-host-ip.ts';
import { publishToken } from '../../../../functions/publish-token/publish-token.ts';
import { agentOf, endingOf } from '../../../contract/launch-fixtures.ts';
import { makeTestDeps, type TestDeps, testAgentName, testLaunchId } from '../../../support/make-test-deps.ts';
import { MemoryLaunches } from '../../../support/memory-launches.ts';
import { terminated, waiting } from '../../../support/pod-view.ts';
import { withPod, withToken } from '../../../support/run-steps.ts';

const unreachable = () => Promise.reject(new TransientError('ClusterUnreachable', 'connect ECONNREFUSED'));
const ended = { phase: 'Succeeded', containerStatuses: [terminated('agent', 0, 'Completed')] };

async function connect({ launches, nowEpochMs }: TestDeps): Promise<void> {
  await launches.markConnected(agentOf(testLaunchId), nowEpochMs());
}

test('an agent that has connected already is seen at once', async () => {
  const deps = makeTestDeps();
  const state = await withToken(deps);
  await connect(deps);

  expect(await awaitAgent(deps, state)).toEqual({ connectedAtEpochMs: 1_767_225_600_000 });
  expect(deps.nowEpochMs()).toBe(1_767_225_600_000);
});

test('an agent that connects is seen within half a second', async () => {
  const deps = makeTestDeps();
  const state = await withToken(deps);
  deps.clock.after(7300, () => void connect(deps));

  expect(await awaitAgent(deps, state)).toEqual({ connectedAtEpochMs: 1_767_225_607_300 });
  expect(deps.nowEpochMs()).toBe(1_767_225_607_500);
});

test('an agent that does not connect in 11 s is waited for again, and what its Pod does is told', async () => {
  const deps = makeTestDeps();
  const state = await withToken(deps);
  deps.clock.after(2000, () => deps.cluster.report(testAgentName, { phase: 'Unknown', hostIP: '10.0.0.7' }));

  await expect(awaitAgent(deps, state)).rejects.toThrow(
    'ConnectPending: the agent has not connected; its token says 10.0.0.7:30000; phase Unknown (launch github-1-2-1, cluster sandbox, namespace davit-agents, pod davit-github-1-2-1)',
  );
  expect(deps.nowEpochMs()).toBe(1_767_225_611_000);
});

test('the deadline counts from when the token was published', async () => {
  const deps = makeTestDeps();
  const state = await withToken(deps);
  deps.clock.advance(590_000);

  await expect(awaitAgent(deps, state)).rejects.toThrow(
    'ConnectDeadlineExceeded: AwaitAgent gave up after 600 s of 600 s; at last: the agent has not connected; its token says 10.0.0.7:30000; phase Running',
  );
});

test("the deadline's error repeats what the CI system said to the agent", async () => {
  const deps = makeTestDeps();
  const state = await withToken(deps);
  const signal = { code: 'CiRefused', detail: 'github: 403: must be an owner', sinceEpochMs: deps.nowEpochMs() };
  await deps.launches.noteSignal(testLaunchId, signal);
  deps.clock.advance(590_000);

  await expect(awaitAgent(deps, state)).rejects.toThrow(
    'at last: the agent has not connected; its token says 10.0.0.7:30000; phase Running; CiRefused: github: 403: must be an owner',
  );
  expect(await deps.launches.get(testLaunchId)).toMatchObject({ signal });
});

describe('an agent that is gone before its connection is looked for', () => {
  test('has connected: that is no failure', async () => {
    const deps = makeTestDeps();
    const state = await withToken(deps);
    deps.clock.after(700, () => {
      void connect(deps);
      deps.cluster.report(testAgentName, ended);
    });

    expect(await awaitAgent(deps, state)).toEqual({ connectedAtEpochMs: 1_767_225_600_700 });
  });

  test('has connected, did its work, and even its Pod is gone: that is no failure', async () => {
    const deps = makeTestDeps();
    const state = await withToken(deps);
    await connect(deps);
    deps.cluster.pods.remove(testAgentName);

    expect(await awaitAgent(deps, state)).toEqual({ connectedAtEpochMs: 1_767_225_600_000 });
  });

  test('has not connected: that is a failure, at once', async () => {
    const deps = makeTestDeps();
    const state = await withToken(deps);
    deps.clock.after(700, () => deps.cluster.report(testAgentName, ended));

    await expect(awaitAgent(deps, state)).rejects.toMatchObject({ name: 'TerminalError', code: 'PodSucceeded' });
    expect(deps.nowEpochMs()).toBe(1_767_225_600_700);
  });
});

test('a Pod that is gone between two attempts is judged by what it was when it was taken', async () => {
  const deps = makeTestDeps();
  const state = await withToken(deps);
  deps.clock.advance(30_000);
  const conditions = [{ type: 'DisruptionTarget', status: 'True', reason: 'DeletionByPodGC', message: 'no node' }];
  deps.cluster.report(testAgentName, { phase: 'Failed', conditions });
  deps.cluster.pods.remove(testAgentName);

  await expect(awaitAgent(deps, state)).rejects.toMatchObject({ name: 'RelaunchError', code: 'NodeLost' });
});

/** A create whose answer was lost may take effect after infrastructure has taken the Pod of an earlier attempt. */
test('a Pod that was taken, and whose name another Pod has since, is judged by what it was', async () => {
  const deps = makeTestDeps();
  const state = await withToken(deps);
  const pod = await deps.cluster.pods.get('davit-agents', testAgentName);
  deps.clock.advance(30_000);
  const conditions = [{ type: 'DisruptionTarget', status: 'True', reason: 'DeletionByPodGC', message: 'no node' }];
  deps.cluster.report(testAgentName, { phase: 'Failed', conditions });
  deps.cluster.pods.remove(testAgentName);
  await deps.cluster.pods.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: testAgentName, namespace: 'davit-agents', labels: { ...pod?.metadata.labels }, annotations: {} },
    spec: { containers: [{ name: 'agent', image: 'registry.example/agent:1' }] },
  });

  await expect(awaitAgent(deps, state)).rejects.toMatchObject({ name: 'RelaunchError', code: 'NodeLost' });
});

describe('a launch that is ended meanwhile is over', () => {
  test('before its agent has connected', async () => {
    const deps = makeTestDeps();
    const state = await withToken(deps);
    deps.clock.after(1200, () => void deps.launches.end(testLaunchId, endingOf()));

    await expect(awaitAgent(deps, state)).rejects.toMatchObject({ name: 'TerminalError', code: 'LaunchOver' });
    expect(deps.nowEpochMs()).toBe(1_767_225_601_500);
  });

  test('after its agent has connected', async () => {
    const deps = makeTestDeps();
    const state = await withToken(deps);
    await connect(deps);
    await deps.launches.end(testLaunchId, endingOf({ outcome: 'terminated', code: 'Terminated' }));

    await expect(awaitAgent(deps, state)).rejects.toMatchObject({ code: 'LaunchOver' });
  });

  test('as is one that has no record', async () => {
    const deps = makeTestDeps();
    const state = await withToken(deps);
    const launches = new MemoryLaunches();

    await expect(awaitAgent({ ...deps, launches }, state)).rejects.toMatchObject({ code: 'LaunchOver' });
  });
});

describe('a cluster that cannot be reached', () => {
  test('is tried again', async () => {
    const deps = makeTestDeps();
    const state = await withToken(deps);

    await expect(awaitAgent({ ...deps, openCluster: unreachable }, state)).rejects.toMatchObject({
      code: 'ClusterUnreachable',
    });
  });

  test('does not undo that the agent has connected', async () => {
    const deps = makeTestDeps();
    const state = await withToken(deps);
    await connect(deps);

    expect(await awaitAgent({ ...deps, openCluster: unreachable }, state)).toEqual({
      connectedAtEpochMs: 1_767_225_600_000,
    });
  });
});

test('a table that does not answer is tried again', async () => {
  const deps = makeTestDeps();
  const state = await withToken(deps);
  const throttled = new TransientError('StoreUnavailable', 'table launches: throttled');
  const launches = {
    ...deps.launches,
    get: () => Promise.reject(throttled),
    noteSignal: () => Promise.reject(throttled),
  };

  await expect(awaitAgent({ ...deps, launches }, state)).rejects.toBe(throttled);
});

test('a Pod that does not change after it was placed is looked at all the same, and its Events are', async () => {
  const deps = makeTestDeps();
  const creating = { phase: 'Pending', hostIP: '10.0.0.7', containerStatuses: [waiting('agent', 'ContainerCreating')] };
  const state = await withPod(deps);
  deps.cluster.report(testAgentName, creating);
  const placed = { ...state, placement: await pollHostIP(deps, state) };
  const awaited = { ...placed, token: await publishToken(deps, placed) };
  deps.cluster.reports.addEvent(testAgentName, { reason: 'FailedMount', message: 'secret "none" not found' });

  await expect(awaitAgent(deps, awaited)).rejects.toThrow(
    '10.0.0.7:30000; FailedMount: secret "none" not found (launch',
  );
});

test('containers that somebody else has ended are told with the Event that says so', async () => {
  const deps = makeTestDeps();
  const state = await withToken(deps);
  deps.cluster.reports.addEvent(testAgentName, { reason: 'FailedPostStartHook', message: 'PostStartHook failed' });

  deps.cluster.report(testAgentName, ended);

  await expect(awaitAgent(deps, state)).rejects.toThrow(
    'ContainerStartFailed: FailedPostStartHook: PostStartHook failed; phase Succeeded; container agent terminated with exit code 0: Completed',
  );
});

test('an image pull that fails on a placed Pod has its grace here, too', async () => {
  const deps = makeTestDeps();
  const state = await withToken(deps);
  const pulling = { phase: 'Pending', hostIP: '10.0.0.7', containerStatuses: [waiting('agent', 'ErrImagePull')] };
  deps.clock.after(1000, () => deps.cluster.report(testAgentName, pulling));

  await expect(awaitAgent(deps, state)).rejects.toMatchObject({ code: 'ConnectPending' });
  deps.clock.advance(21_000);
  await expect(awaitAgent(deps, state)).rejects.toThrow('ImagePullFailed: ErrImagePull (for 31 s; grace is 30 s)');
});

/** A launch whose Pod is placed, and whose kubelet says no more of it than that it is being created. */
async function withCreatingPod(deps: TestDeps) {
  const state = await withPod(deps);
  const creating = { phase: 'Pending', hostIP: '10.0.0.7', containerStatuses: [waiting('agent', 'ContainerCreating')] };
  deps.cluster.report(testAgentName, creating);
  const placed = { ...state, placement: await pollHostIP(deps, state) };
  return { ...placed, token: await publishToken(deps, placed) };
}

const isoOf = ({ nowEpochMs }: TestDeps) => new Date(nowEpochMs()).toISOString();

test('an agent whose sandbox could be made at the second attempt has all the time that its image takes', async () => {
  const deps = makeTestDeps();
  const state = await withCreatingPod(deps);
  deps.clock.after(500, () =>
    deps.cluster.reports.addEvent(testAgentName, {
      reason: 'FailedCreatePodSandBox',
      message: 'no CNI',
      lastTimestamp: isoOf(deps),
    }),
  );
  deps.clock.after(3000, () =>
    deps.cluster.reports.addEvent(testAgentName, { reason: 'Pulling', lastTimestamp: isoOf(deps) }),
  );

  for (let attempt = 0; attempt < 6; attempt += 1) {
    await expect(awaitAgent(deps, state)).rejects.toMatchObject({ code: 'ConnectPending' });
    deps.clock.advance(9000);
  }
});
