import type { PodView } from '../../../../core/pod/kubernetes-objects.ts';
import { createPod } from '../../../../functions/create-pod/create-pod.ts';
import { pollHostIP } from '../../../../functions/poll-host-ip/poll-host-ip.ts';
import {
  makeTestDeps,
  requestLaunch,
  type TestDeps,
  testAgentName,
  testLaunchId,
} from '../../../support/make-test-deps.ts';
import { running, waiting } from '../../../support/pod-view.ts';
import { launchAt, withPod } from '../../../support/run-steps.ts';

type Status = NonNullable<PodView['status']>;

const unschedulable: Status = {
  phase: 'Pending',
  conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes are available' }],
};
const pulling: Status = { phase: 'Pending', containerStatuses: [waiting('agent', 'ErrImagePull', 'not found')] };

let deps: TestDeps;
let state: Awaited<ReturnType<typeof withPod>>;
beforeEach(async () => {
  ({ deps, state } = await launchAt(withPod));
});

function reportAfter(ms: number, status: Status, node?: string): void {
  deps.clock.after(ms, () => deps.cluster.report(testAgentName, status, node));
}

const nowhere = '';

test.each(['Pending', 'Running', 'Unknown', 'Creating'])('a reported host is valid in phase %s', async (phase) => {
  reportAfter(3200, { phase, hostIP: '10.0.0.7', containerStatuses: [running('agent')] });

  expect(await pollHostIP(deps, state)).toEqual({
    host: '10.0.0.7',
    resourceVersion: '5',
    placedAtEpochMs: 1_767_225_603_200,
    containersStartedAtEpochMs: 1_767_225_603_000,
  });
});

test('reads an unchanged Pod, because it may have had its address from the start', async () => {
  await expect(pollHostIP(deps, state)).rejects.toMatchObject({
    code: 'PlacementPending',
    message: expect.stringContaining('phase '),
  });
});

test("an unexposed launch is reached at its Pod's own address only", async () => {
  deps = makeTestDeps();
  const plan = { ...(await requestLaunch(deps, { expose: 'none' })), expose: 'none' as const };
  const unexposed = { ...plan, pod: await createPod(deps, plan) };
  reportAfter(1000, { phase: 'Pending', hostIP: '10.0.0.7' });
  reportAfter(2000, { phase: 'Running', hostIP: '10.0.0.7', podIP: '10.244.1.9' });

  expect(await pollHostIP(deps, unexposed)).toMatchObject({ host: '10.244.1.9', placedAtEpochMs: 1_767_225_602_000 });
});

test("an agent is reached at the Node's address that its profile selects", async () => {
  ({ deps, state } = await launchAt((made) => withPod(made, { hostAddress: 'nodeExternalIP' })));
  deps.cluster.addresses.set('node-1', [
    { type: 'InternalIP', address: '10.0.0.7' },
    { type: 'ExternalIP', address: '203.0.113.7' },
  ]);
  reportAfter(1000, { phase: 'Running', hostIP: '10.0.0.7' });

  expect(await pollHostIP(deps, state)).toMatchObject({ host: '203.0.113.7' });
});

test('a change between the creation and the first look is not missed', async () => {
  deps.cluster.report(testAgentName, { phase: 'Running', hostIP: '10.0.0.7' });

  expect(await pollHostIP(deps, state)).toMatchObject({ host: '10.0.0.7', placedAtEpochMs: 1_767_225_600_000 });
});

describe('a Pod of an earlier attempt', () => {
  async function adopt(happens: () => void) {
    happens();
    const made = await createPod(deps, state);
    return { ...state, pod: { ...made, made } };
  }

  test('may already have its address', async () => {
    const adopted = await adopt(() => {
      deps.cluster.report(testAgentName, { phase: 'Running', hostIP: '10.0.0.7' });
    });

    expect(await pollHostIP(deps, adopted)).toMatchObject({ host: '10.0.0.7', placedAtEpochMs: 1_767_225_600_000 });
  });

  test('may have been adopted under a state machine of version 0.1.0, which does not report that', async () => {
    const { pod, ...others } = await adopt(() => {
      deps.cluster.report(testAgentName, { phase: 'Running', hostIP: '10.0.0.7' });
    });
    const { uid, resourceVersion, createdAtEpochMs } = pod;

    const placed = await pollHostIP(deps, { ...others, pod: { uid, resourceVersion, createdAtEpochMs } });

    expect(placed).toMatchObject({ host: '10.0.0.7', placedAtEpochMs: 1_767_225_600_000 });
  });

  test('is launched again when its node removes it before the first look', async () => {
    const adopted = await adopt(() => undefined);
    collect(deps);

    await expect(pollHostIP(deps, adopted)).rejects.toMatchObject({ name: 'RelaunchError', code: 'NodeLost' });
  });

  test('is not confused with an earlier Pod of its name', async () => {
    deps.cluster.pods.remove(testAgentName);
    await createPod(deps, state);
    const made = await createPod(deps, state);
    deps.cluster.report(testAgentName, { phase: 'Running', hostIP: '10.0.0.7' });

    expect(await pollHostIP(deps, { ...state, pod: { ...made, made } })).toMatchObject({ host: '10.0.0.7' });
  });
});

test("a retry judges the Pod's present state, not an old one", async () => {
  deps.cluster.report(testAgentName, pulling);
  deps.cluster.report(testAgentName, { phase: 'Running', hostIP: '10.0.0.7' });
  deps.clock.advance(60_000);

  expect(await pollHostIP(deps, state)).toMatchObject({ host: '10.0.0.7' });
  expect((await deps.launches.get(testLaunchId))?.signal).toBeUndefined();
});

test("a Pod without a host makes the step repeat after 20 s, with the cluster's words", async () => {
  reportAfter(500, unschedulable, nowhere);

  await expect(pollHostIP(deps, state)).rejects.toThrow('PlacementPending: Unschedulable: 0/3 nodes are available');
  expect(deps.nowEpochMs()).toBe(1_767_225_620_000);
  expect((await deps.launches.get(testLaunchId))?.signal).toEqual({
    code: 'Unschedulable',
    detail: 'Unschedulable: 0/3 nodes are available',
    sinceEpochMs: 1_767_225_600_500,
  });
});

test('davit waits for a Pod whose containers run without a reported host, and the error names the node', async () => {
  deps.cluster.report(testAgentName, { phase: 'Pending', hostIP: '', containerStatuses: [running('agent')] });
  deps.clock.advance(885_000);

  await expect(pollHostIP(deps, state)).rejects.toThrow(
    'PlacementDeadlineExceeded: PollHostIP gave up after 900 s of 900 s; at last: node node-1 reports no hostIP, which a NodePort needs; phase Pending; container agent running (launch github-1-2-1, cluster sandbox, namespace davit-agents, pod davit-github-1-2-1, node node-1)',
  );
});

test('a Pod that was bound at creation and has no status is described with its node', async () => {
  deps.cluster.report(testAgentName, { phase: 'Pending' }, 'virtual');
  const { resourceVersion = '' } = (await deps.cluster.pods.get('davit-agents', testAgentName))?.metadata ?? {};

  await expect(pollHostIP(deps, { ...state, pod: { ...state.pod, resourceVersion } })).rejects.toThrow(
    'PlacementPending: node virtual reports no hostIP, which a NodePort needs; phase Pending',
  );
});

/** Removes the Pod as the pod garbage collector does after its node is deleted: all at once. */
function collect({ cluster }: TestDeps): void {
  const why = { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' };
  cluster.report(testAgentName, {
    phase: 'Failed',
    conditions: [{ type: 'DisruptionTarget', status: 'True', ...why }],
  });
  cluster.pods.remove(testAgentName);
}

describe('a deleted Pod', () => {
  test('was taken by infrastructure when one of its Events says so', async () => {
    deps.cluster.reports.addEvent(testAgentName, { reason: 'Preempted', message: 'Preempted by pod x on node node-1' });
    deps.clock.after(1000, () => deps.cluster.pods.remove(testAgentName));

    await expect(pollHostIP(deps, state)).rejects.toMatchObject({
      name: 'RelaunchError',
      code: 'PodPreempted',
      detail: 'the Pod is gone: Preempted: Preempted by pod x on node node-1',
    });
  });

  test.each([
    { when: 'while it is watched', takenAfterMs: 1000 },
    { when: 'between two attempts', takenAfterMs: 0 },
  ])('was taken by infrastructure when its last state says so, even without an Event ($when)', async (row) => {
    deps.clock.advance(6000);
    if (row.takenAfterMs === 0) collect(deps);
    else deps.clock.after(row.takenAfterMs, () => collect(deps));

    await expect(pollHostIP(deps, state)).rejects.toMatchObject({
      name: 'RelaunchError',
      code: 'NodeLost',
      detail: 'DisruptionTarget DeletionByPodGC: PodGC: node no longer exists',
      subject: { node: 'node-1' },
    });
  });
});

test('the launch fails at once when the Pod is deleted from outside', async () => {
  deps.clock.after(1000, () => deps.cluster.pods.remove(testAgentName));

  await expect(pollHostIP(deps, state)).rejects.toThrow('DeletedExternally: the Pod is gone');
});
