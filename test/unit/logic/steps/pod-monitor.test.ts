import type { PodView } from '../../../../core/pod/kubernetes-objects.ts';
import { type MonitorDeps, PodMonitor } from '../../../../logic/steps/pod-monitor.ts';
import { beforeCalls } from '../../../support/around-calls.ts';
import { failTest } from '../../../support/fail-test.ts';
import { type TestDeps, testAgentName, testLaunchId } from '../../../support/make-test-deps.ts';
import { running, waiting } from '../../../support/pod-view.ts';
import { launchAt, withPod } from '../../../support/run-steps.ts';

type Status = NonNullable<PodView['status']>;

const pulling: Status = { phase: 'Pending', containerStatuses: [waiting('agent', 'ErrImagePull', 'not found')] };
const creating: Status = { phase: 'Pending', containerStatuses: [waiting('agent', 'ContainerCreating')] };
const well: Status = { phase: 'Running', containerStatuses: [running('agent')] };
const sandboxAt = (lastTimestamp: string) => ({ reason: 'FailedCreatePodSandBox', message: 'no CNI', lastTimestamp });

let deps: TestDeps;
let state: Awaited<ReturnType<typeof withPod>>;
beforeEach(async () => {
  ({ deps, state } = await launchAt((made) =>
    withPod(made, { graces: { imagePullSeconds: 30, containerSeconds: 45 } }),
  ));
});

/** Begins an attempt of a step, which monitors the Pod. */
async function startAttempt(launches: MonitorDeps['launches'] = deps.launches): Promise<PodMonitor> {
  const record = await deps.launches.get(testLaunchId);
  const subject = { launchId: testLaunchId, pod: testAgentName };
  return new PodMonitor({ ...deps, launches }, deps.cluster, state, subject, record?.signal);
}

async function report(status: Status): Promise<PodView | undefined> {
  deps.cluster.report(testAgentName, status);
  return deps.cluster.pods.get('davit-agents', testAgentName);
}

/** A monitor that saw, some time ago, that an image could not be pulled. */
async function inTroubleFor(ms: number) {
  const monitor = await startAttempt();
  const pod = await report(pulling);
  await monitor.see(pod);
  deps.clock.advance(ms);
  return { monitor, pod };
}

const signalNow = async () => (await deps.launches.get(testLaunchId))?.signal;

test("trouble that outlasts its grace fails the launch, with the cluster's words and their subject", async () => {
  const { monitor, pod } = await inTroubleFor(30_000);

  await expect(monitor.see(pod)).rejects.toThrow(
    'ImagePullFailed: ErrImagePull: not found (for 30 s; grace is 30 s) (launch github-1-2-1, pod davit-github-1-2-1, node node-1, container agent, image registry.example/agent:1)',
  );
});

test('trouble that ended within its grace fails nothing, however late the monitor sees it', async () => {
  const { monitor, pod } = await inTroubleFor(40_000);
  await report({ phase: 'Running', containerStatuses: [running('agent')] });

  await monitor.see(pod);

  expect(await monitor.conclude()).toMatchObject({ detail: 'phase Running; container agent running' });
});

test('trouble that has become another trouble has its own grace', async () => {
  const { monitor, pod } = await inTroubleFor(40_000);
  await report({ phase: 'Pending', containerStatuses: [waiting('agent', 'CreateContainerError', 'no CNI')] });

  await monitor.see(pod);

  expect(await signalNow()).toEqual({
    code: 'ContainerStartFailed',
    container: 'agent',
    detail: 'CreateContainerError: no CNI',
    sinceEpochMs: 1_767_225_640_000,
  });
});

describe('a grace period starts again', () => {
  test('once the Pod was healthy, and the record no longer has the trouble', async () => {
    const { monitor } = await inTroubleFor(2000);
    await monitor.see(await report(well));
    expect(await signalNow()).toBeUndefined();

    deps.clock.advance(60_000);
    await monitor.see(await report(pulling));

    expect(await signalNow()).toMatchObject({ code: 'ImagePullFailed', sinceEpochMs: 1_767_225_662_000 });
  });

  test('for each container', async () => {
    await (await startAttempt()).see(await report(pulling));
    deps.clock.advance(62_000);
    const helper = { phase: 'Pending', containerStatuses: [waiting('helper', 'ErrImagePull', 'not found')] };

    await (await startAttempt()).see(await report(helper));

    expect(await signalNow()).toMatchObject({ container: 'helper', sinceEpochMs: 1_767_225_662_000 });
  });

  test('once a container that was in trouble is being created, before any has started', async () => {
    await (await startAttempt()).see(await report(pulling));
    deps.clock.advance(2000);
    const monitor = await startAttempt();
    await monitor.see(await report(creating));
    expect(await signalNow()).toBeUndefined();
    deps.clock.advance(60_000);

    await monitor.see(await report(pulling));

    expect(await signalNow()).toMatchObject({ sinceEpochMs: 1_767_225_662_000 });
  });

  test('once a container runs, whatever its Events have reported', async () => {
    const signal = { code: 'ContainerStartFailed', detail: 'no CNI', sinceEpochMs: 1_767_225_600_000 };
    await deps.launches.noteSignal(testLaunchId, signal);

    await (await startAttempt()).see(await report(well));

    expect(await signalNow()).toBeUndefined();
  });

  test('once Events show that the sandbox could be made', async () => {
    await report(creating);
    deps.cluster.reports.addEvent(testAgentName, sandboxAt('2026-01-01T00:00:00Z'));
    await (await startAttempt()).conclude();
    expect(await signalNow()).toMatchObject({ code: 'ContainerStartFailed' });
    deps.cluster.reports.addEvent(testAgentName, { reason: 'Pulling', lastTimestamp: '2026-01-01T00:00:03Z' });

    await (await startAttempt()).conclude();

    expect(await signalNow()).toBeUndefined();
  });
});

describe('a grace period goes on', () => {
  test('while only Events report the trouble, whatever the status says', async () => {
    const pod = await report(creating);
    deps.cluster.reports.addEvent(testAgentName, sandboxAt('2026-01-01T00:00:00Z'));
    await (await startAttempt()).conclude();
    deps.clock.advance(45_000);
    const monitor = await startAttempt();
    await monitor.see(pod);

    await expect(monitor.conclude()).rejects.toThrow(
      'ContainerStartFailed: FailedCreatePodSandBox: no CNI (for 45 s; grace is 45 s)',
    );
  });

  test('while the status reports the trouble, whatever older Events say', async () => {
    const pod = await report(pulling);
    deps.cluster.reports.addEvent(testAgentName, sandboxAt('2026-01-01T00:00:00Z'));
    const first = await startAttempt();
    await first.see(pod);
    await first.conclude();
    deps.clock.advance(30_000);

    await expect((await startAttempt()).see(pod)).rejects.toMatchObject({ code: 'ImagePullFailed' });
  });
});

describe('the end of a grace period', () => {
  const sinceEpochMs = 1_767_225_600_000;
  const starting: Status = { phase: 'Pending', containerStatuses: [waiting('agent', 'CreateContainerError', 'no')] };

  test.each([
    { status: pulling, signal: undefined, is: sinceEpochMs + 30_000 },
    { status: starting, signal: undefined, is: sinceEpochMs + 45_000 },
    { status: creating, signal: { code: 'ContainerStartFailed', detail: 'no CNI' }, is: sinceEpochMs + 45_000 },
    { status: creating, signal: { code: 'FailedMount', detail: 'no volume' }, is: undefined },
    { status: well, signal: undefined, is: undefined },
  ])('is $is for the signal $signal and the status $status', async ({ status, signal, is }) => {
    if (signal !== undefined) await deps.launches.noteSignal(testLaunchId, { ...signal, sinceEpochMs });
    const monitor = await startAttempt();

    await monitor.see(await report(status));

    expect(monitor.graceEndEpochMs).toBe(is);
  });

  test('of a container that is being created again is unknown until its Pod is judged', async () => {
    const signal = { code: 'ContainerStartFailed', container: 'agent', detail: 'no', sinceEpochMs };
    await deps.launches.noteSignal(testLaunchId, signal);

    expect((await startAttempt()).graceEndEpochMs).toBeUndefined();
  });
});

describe('the conclusion of an observation', () => {
  test('reads the Pod if the look has seen nothing', async () => {
    const monitor = await startAttempt();
    const pod = await report(well);

    expect(await monitor.conclude()).toStrictEqual({
      detail: 'phase Running; container agent running',
      subject: { launchId: testLaunchId, pod: testAgentName, node: 'node-1' },
      pod,
      graceEndEpochMs: undefined,
      signal: undefined,
    });
  });

  test('does not read the Pod again while a grace period runs, and does when it has ended', async () => {
    const monitor = await startAttempt();
    await monitor.see(await report(pulling));
    const restore = beforeCalls(deps.cluster.pods, 'get', () => failTest('the look has seen it'));
    deps.clock.advance(29_999);

    const { graceEndEpochMs, signal } = await monitor.conclude();
    restore();
    deps.clock.advance(1);

    expect({ graceEndEpochMs, signal }).toMatchObject({
      graceEndEpochMs: 1_767_225_630_000,
      signal: { code: 'ImagePullFailed' },
    });
    await expect(monitor.conclude()).rejects.toMatchObject({ code: 'ImagePullFailed' });
  });
});

test('a healthy Pod needs no write', async () => {
  const refuse = () => Promise.reject(new Error('a write'));
  const monitor = await startAttempt({ get: async () => undefined, noteSignal: refuse, clearSignal: refuse });

  await monitor.see(await report(well));

  expect((await monitor.conclude()).detail).toBe('phase Running; container agent running');
});
