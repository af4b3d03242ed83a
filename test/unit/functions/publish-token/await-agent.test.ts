import { TransientError } from '../../../../core/errors/errors.ts';
import { pollHostIP } from '../../../../functions/poll-host-ip/poll-host-ip.ts';
import { awaitAgent } from '../../../../functions/publish-token/await-agent.ts';
import { publish } from '../../../../functions/publish-token/publish.ts';
import { agentOf, endingOf } from '../../../contract/launch-fixtures.ts';
import { beforeCalls, refuseCalls } from '../../../support/around-calls.ts';
import { type TestDeps, testAgentName, testLaunchId } from '../../../support/make-test-deps.ts';
import { MemoryLaunches } from '../../../support/memory-launches.ts';
import { terminated, waiting } from '../../../support/pod-view.ts';
import { launchAt, withPod, withToken } from '../../../support/run-steps.ts';

const unreachable = () => Promise.reject(new TransientError('ClusterUnreachable', 'connect ECONNREFUSED'));
const ended = { phase: 'Succeeded', containerStatuses: [terminated('agent', 0, 'Completed')] };

let deps: TestDeps;
let state: Awaited<ReturnType<typeof withToken>>;
beforeEach(async () => {
  ({ deps, state } = await launchAt(withToken));
});

async function connect(): Promise<void> {
  await deps.launches.markConnected(agentOf(testLaunchId), deps.nowEpochMs());
}

test('an agent that has already connected is seen at once', async () => {
  await connect();

  await awaitAgent(deps, state);

  expect(deps.nowEpochMs()).toBe(1_767_225_600_000);
});

test('an agent that connects is seen within half a second', async () => {
  deps.clock.after(1300, () => void connect());

  await awaitAgent(deps, state);

  expect(deps.nowEpochMs()).toBe(1_767_225_601_500);
});

test('after 3 s without a connection the step repeats, and reports the state of the Pod', async () => {
  deps.clock.after(2000, () => deps.cluster.report(testAgentName, { phase: 'Unknown', hostIP: '10.0.0.7' }));

  await expect(awaitAgent(deps, state)).rejects.toThrow(
    'ConnectPending: the agent has not connected; its token says 10.0.0.7:30000; phase Unknown (launch github-1-2-1, cluster sandbox, namespace davit-agents, pod davit-github-1-2-1)',
  );
  expect(deps.nowEpochMs()).toBe(1_767_225_603_000);
});

test("the deadline starts at the token's publication", async () => {
  deps.clock.advance(590_000);

  await expect(awaitAgent(deps, state)).rejects.toThrow(
    'ConnectDeadlineExceeded: PublishToken gave up after 600 s of 600 s; at last: the agent has not connected; its token says 10.0.0.7:30000; phase Running',
  );
});

test("the deadline's error repeats what the CI system said to the agent", async () => {
  const signal = { code: 'CiRefused', detail: 'github: 403: must be an owner', sinceEpochMs: deps.nowEpochMs() };
  await deps.launches.noteSignal(testLaunchId, signal);
  deps.clock.advance(590_000);

  await expect(awaitAgent(deps, state)).rejects.toThrow(
    'at last: the agent has not connected; its token says 10.0.0.7:30000; phase Running; CiRefused: github: 403: must be an owner',
  );
  expect(await deps.launches.get(testLaunchId)).toMatchObject({ signal });
});

describe('an agent whose Pod is gone at the next look', () => {
  test('has connected, which is no failure', async () => {
    deps.clock.after(700, () => {
      void connect();
      deps.cluster.report(testAgentName, ended);
    });

    await expect(awaitAgent(deps, state)).resolves.toBeUndefined();
  });

  test('has connected and done its work, which is no failure', async () => {
    await connect();
    deps.cluster.pods.remove(testAgentName);

    await expect(awaitAgent(deps, state)).resolves.toBeUndefined();
  });

  test('has not connected, which fails the launch at once', async () => {
    deps.clock.after(700, () => deps.cluster.report(testAgentName, ended));

    await expect(awaitAgent(deps, state)).rejects.toMatchObject({ name: 'TerminalError', code: 'PodSucceeded' });
    expect(deps.nowEpochMs()).toBe(1_767_225_600_700);
  });
});

describe('a launch is over', () => {
  test('when it is ended before its agent has connected', async () => {
    deps.clock.after(1200, () => void deps.launches.end(testLaunchId, endingOf()));

    await expect(awaitAgent(deps, state)).rejects.toMatchObject({ name: 'TerminalError', code: 'LaunchOver' });
    expect(deps.nowEpochMs()).toBe(1_767_225_601_500);
  });

  test('when it is ended after its agent has connected', async () => {
    await connect();
    await deps.launches.end(testLaunchId, endingOf({ outcome: 'terminated', code: 'Terminated' }));

    await expect(awaitAgent(deps, state)).rejects.toMatchObject({ code: 'LaunchOver' });
  });

  test('when it has no record', async () => {
    const launches = new MemoryLaunches();

    await expect(awaitAgent({ ...deps, launches }, state)).rejects.toMatchObject({ code: 'LaunchOver' });
  });
});

test('a cluster that cannot be reached does not hide that the agent has connected', async () => {
  await connect();

  await expect(awaitAgent({ ...deps, openCluster: unreachable }, state)).resolves.toBeUndefined();
});

test('a table that does not answer is tried again', async () => {
  const throttled = new TransientError('StoreUnavailable', 'table launches: throttled');
  refuseCalls(deps.launches, 'get', throttled);
  refuseCalls(deps.launches, 'noteSignal', throttled);

  await expect(awaitAgent(deps, state)).rejects.toBe(throttled);
});

test('reads a placed Pod that does not change, and its Events', async () => {
  ({ deps, state } = await launchAt(withCreatingPod));
  deps.cluster.reports.addEvent(testAgentName, { reason: 'FailedMount', message: 'secret "none" not found' });

  await expect(awaitAgent(deps, state)).rejects.toThrow('10.0.0.7:30000; FailedMount: secret "none" not found (launch');
});

/** A launch whose Pod is placed, and whose kubelet reports only that its containers are being created. */
async function withCreatingPod(made: TestDeps) {
  const created = await withPod(made);
  const creating = { phase: 'Pending', hostIP: '10.0.0.7', containerStatuses: [waiting('agent', 'ContainerCreating')] };
  made.cluster.report(testAgentName, creating);
  const placed = { ...created, placement: await pollHostIP(made, created) };
  return { ...placed, token: await publish(made, placed) };
}

describe('a launch whose agent takes longer than usual', () => {
  test("tells after 3 s how far it has come, and what its Pod says in the cluster's words", async () => {
    const conditions = [{ type: 'ContainersReady', status: 'False', reason: 'ContainersNotReady' }];
    deps.cluster.report(testAgentName, {
      phase: 'Pending',
      conditions,
      containerStatuses: [waiting('agent', 'Creating')],
    });

    await expect(awaitAgent(deps, state)).rejects.toMatchObject({ code: 'ConnectPending' });

    const detail = 'phase Pending; container agent waiting: Creating; not ContainersReady: ContainersNotReady';
    expect(await deps.launches.get(testLaunchId)).toMatchObject({
      podState: { detail, atEpochMs: 1_767_225_603_000 },
      timeline: { serviceMs: 0, portMs: 0, podMs: 0, hostMs: 0, tokenMs: 0 },
    });
  });

  test('writes nothing before, and the same words only once', async () => {
    const said: string[] = [];
    beforeCalls(deps.launches, 'notePodState', (_launchId, { detail }) => said.push(detail));
    const look = () => expect(awaitAgent(deps, state)).rejects.toThrow('ConnectPending');

    await look();
    deps.clock.advance(27_000);
    await look();
    deps.cluster.report(testAgentName, { phase: 'Unknown', hostIP: '10.0.0.7' });
    deps.clock.advance(27_000);
    await look();

    expect(said).toEqual(['phase Running', 'phase Unknown']);
  });
});
