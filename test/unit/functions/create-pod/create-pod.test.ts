import * as z from 'zod';
import { TransientError } from '../../../../core/errors/errors.ts';
import { nextGeneration } from '../../../../core/launch/plan-launch.ts';
import { CreatePodInput, createPod } from '../../../../functions/create-pod/create-pod.ts';
import { endingOf, planOf, recordOf } from '../../../contract/launch-fixtures.ts';
import {
  makeTestDeps,
  requestLaunch,
  type TestDeps,
  testAgentName,
  testLaunchId,
} from '../../../support/make-test-deps.ts';
import { withCluster } from '../../../support/port-with.ts';
import { launchAt, withNodePort } from '../../../support/run-steps.ts';

const Env = z.array(z.object({ name: z.string(), value: z.string() })).transform((list) => {
  return Object.fromEntries(list.map(({ name, value }) => [name, value]));
});
const Spec = z.object({ containers: z.tuple([z.looseObject({ env: Env })]) });

let deps: TestDeps;
let state: Awaited<ReturnType<typeof withNodePort>>;
beforeEach(async () => {
  ({ deps, state } = await launchAt(withNodePort));
});

function agentEnv(): Record<string, string> {
  return Spec.parse(deps.cluster.manifests.at(-1)?.spec).containers[0].env;
}

test('the Pod is created after its Service and owned by it, and the output contains no secret', async () => {
  const output = await createPod(deps, state);

  expect(output).toEqual({
    uid: 'pod-uid-3',
    resourceVersion: '4',
    credentialId: '00000000-0000-4000-8000-000000000001',
    isNew: true,
    createdAtEpochMs: 1_767_225_600_000,
  });
  expect(deps.cluster.writes).toEqual(['create Service davit-github-1-2-1', 'create Pod davit-github-1-2-1']);
  expect(deps.cluster.manifests.at(-1)?.metadata.ownerReferences).toMatchObject([{ uid: state.service.uid }]);
});

test("the agent gets the variables that it needs to connect, and the caller's own environment", async () => {
  await createPod(deps, state);

  expect(agentEnv()).toEqual({
    GREETING: 'hello',
    DAVIT_CONNECT_URL: 'https://davit.example/agents/davit-github-1-2-1/connect',
    DAVIT_AGENT_NAME: 'davit-github-1-2-1',
    // An hour after its deadlines, which sum to 4,020 s.
    DAVIT_CREDENTIAL: 'credential 1 of davit-github-1-2-1 for github-1-2-1 until 1767233220',
  });
});

test.each([
  // The deadlines sum to 4,020 s, plus an hour, minus the 1,560 s of the later ones.
  { lateSeconds: 6_060, may: true },
  { lateSeconds: 6_061, may: false },
])(
  'a launch that begins $lateSeconds s late gets a Pod only if its agent can still connect',
  async ({ lateSeconds, may }) => {
    const began = { ...deps, nowEpochMs: () => state.startedAtEpochMs + lateSeconds * 1000 };

    const created = createPod(began, state).then(() => true);

    if (may) await expect(created).resolves.toBe(true);
    else await expect(created).rejects.toMatchObject({ code: 'LaunchExpired' });
    expect(deps.cluster.writes.includes('create Pod davit-github-1-2-1')).toBe(may);
  },
);

test('the agent of a later generation gets its own name, and its own time from the start of that generation', async () => {
  deps = makeTestDeps();
  const plan = nextGeneration(planOf(testLaunchId, { expose: 'none' }), 1_767_225_700_000);
  await deps.launches.request(recordOf(testLaunchId, { plan }));

  await createPod(deps, { ...plan, expose: 'none' });

  expect(deps.cluster.manifests.at(-1)?.metadata.name).toBe('davit-github-1-2-1-r2');
  expect(agentEnv()).toMatchObject({
    DAVIT_CONNECT_URL: 'https://davit.example/agents/davit-github-1-2-1-r2/connect',
    DAVIT_AGENT_NAME: 'davit-github-1-2-1-r2',
    DAVIT_CREDENTIAL: 'credential 1 of davit-github-1-2-1-r2 for github-1-2-1 until 1767233320',
  });
});

test('a caller cannot change where the agent connects', async () => {
  deps = makeTestDeps();
  const plan = planOf(testLaunchId, { expose: 'none' });
  await deps.launches.request(recordOf(testLaunchId, { plan, env: { DAVIT_CONNECT_URL: 'https://evil.example' } }));

  await createPod(deps, { ...plan, expose: 'none' });

  expect(agentEnv()['DAVIT_CONNECT_URL']).toBe('https://davit.example/agents/davit-github-1-2-1/connect');
});

test("a second attempt adopts the first attempt's Pod in its present state, and reports that", async () => {
  const first = await createPod(deps, state);
  deps.cluster.report(testAgentName, { phase: 'Running', hostIP: '10.0.0.7' });

  const second = await createPod(deps, state);

  expect(first).toMatchObject({ resourceVersion: '4', isNew: true });
  expect(second).toEqual({ ...first, resourceVersion: '5', isNew: false });
  expect(deps.cluster.pods.all()).toHaveLength(1);
});

describe('a second attempt finds the Pod of the first being deleted', () => {
  async function deleting(conditions: { type: string; status: string; reason: string }[]) {
    await createPod(deps, state);
    deps.cluster.report(testAgentName, { phase: 'Failed', conditions });
    deps.cluster.pods.change(testAgentName, (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:05Z' },
    }));
  }

  test('the launch begins again if infrastructure took it', async () => {
    const lost = { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager' };
    await deleting([lost]);

    await expect(createPod(deps, state)).rejects.toMatchObject({
      name: 'RelaunchError',
      code: 'NodeLost',
      detail: 'DisruptionTarget DeletionByTaintManager',
      subject: { launchId: testLaunchId, pod: testAgentName },
    });
  });

  test('the launch begins again if somebody deleted it', async () => {
    await deleting([]);

    await expect(createPod(deps, state)).rejects.toMatchObject({ name: 'RelaunchError', code: 'DeletedExternally' });
  });
});

test('a second attempt that finds no Pod creates one with a new credential', async () => {
  const first = await createPod(deps, state);
  deps.cluster.pods.remove('davit-github-1-2-1');

  const second = await createPod(deps, state);

  expect(first.credentialId).toBe('00000000-0000-4000-8000-000000000001');
  expect(second.credentialId).toBe('00000000-0000-4000-8000-000000000002');
  expect(agentEnv()).toMatchObject({ DAVIT_CREDENTIAL: expect.stringMatching('^credential 2 ') });
});

test('a Pod of version 0.1.0, whose credential has no id, is adopted without one', async () => {
  const { uid } = await createPod(deps, state);
  const [pod] = deps.cluster.pods.all();
  if (pod === undefined) throw new Error('there is no Pod');
  deps.cluster.pods.put({ ...pod, metadata: { ...pod.metadata, annotations: {} } });

  expect(await createPod(deps, state)).toMatchObject({ uid, credentialId: undefined });
});

test('an unexposed launch gets a Pod without an owner', async () => {
  deps = makeTestDeps();
  const plan = await requestLaunch(deps, { expose: 'none' });

  await createPod(deps, { ...plan, expose: 'none' });

  expect(deps.cluster.writes).toEqual(['create Pod davit-github-1-2-1']);
  expect(deps.cluster.manifests[0]?.metadata).not.toHaveProperty('ownerReferences');
});

describe('no Pod is created', () => {
  test('for a launch that was ended', async () => {
    await deps.launches.end(testLaunchId, endingOf());

    await expect(createPod(deps, state)).rejects.toMatchObject({ name: 'TerminalError', code: 'LaunchOver' });
    expect(deps.cluster.pods.all()).toEqual([]);
  });

  test('for a profile that this deployment does not have', async () => {
    deps.profiles = [];

    await expect(createPod(deps, state)).rejects.toThrow('ProfileUnknown: no profile linux');
    expect(deps.cluster.pods.all()).toEqual([]);
  });

  test('when the data lacks the Service or its port', () => {
    const service = { uid: 'service-uid-1', createdAtEpochMs: 1 };
    const accepts = (data: object) => CreatePodInput.safeParse({ ...planOf(testLaunchId), ...data }).success;

    expect(accepts({})).toBe(false);
    expect(accepts({ service })).toBe(false);
    expect(accepts({ service, nodePort: { port: 0, readAtEpochMs: 1 } })).toBe(false);
    expect(accepts({ service, nodePort: { port: 30_080, readAtEpochMs: 1 } })).toBe(true);
  });
});

test('the deadline counts from when the nodePort was read', async () => {
  const down = withCluster(deps, {
    create: () => Promise.reject(new TransientError('ClusterUnreachable', 'connect ECONNREFUSED 10.0.0.1:6443')),
  });

  deps.clock.advance(599_999);
  await expect(createPod(down, state)).rejects.toMatchObject({ code: 'ClusterUnreachable' });
  deps.clock.advance(1);
  await expect(createPod(down, state)).rejects.toThrow(
    'PodDeadlineExceeded: CreatePod gave up after 600 s of 600 s; at last: cluster sandbox is away (Unreachable): connect ECONNREFUSED 10.0.0.1:6443',
  );
});
