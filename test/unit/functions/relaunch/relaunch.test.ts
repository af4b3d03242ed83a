import { RelaunchError, TerminalError, TransientError } from '../../../../core/errors/errors.ts';
import type { LaunchPlan } from '../../../../core/launch/launch-state.ts';
import { nextGeneration } from '../../../../core/launch/plan-launch.ts';
import { createService } from '../../../../functions/create-service/create-service.ts';
import { RelaunchInput, relaunch } from '../../../../functions/relaunch/relaunch.ts';
import { agentOf, endingOf, planOf, recordOf } from '../../../contract/launch-fixtures.ts';
import { beforeCalls } from '../../../support/around-calls.ts';
import { failureOf } from '../../../support/failure-of.ts';
import {
  makeTestDeps,
  requestLaunch,
  type TestDeps,
  testAgentName,
  testLaunchId,
} from '../../../support/make-test-deps.ts';
import { withCluster } from '../../../support/port-with.ts';
import { launchAt, withPod, withToken } from '../../../support/run-steps.ts';

const evicted = new RelaunchError('PodEvicted', 'The node was low on resource: memory.', {
  launchId: testLaunchId,
  cluster: 'sandbox',
  namespace: 'davit-agents',
  pod: testAgentName,
  node: 'node-1',
});
const evictedSays =
  'The node was low on resource: memory. (launch github-1-2-1, cluster sandbox, namespace davit-agents, pod davit-github-1-2-1, node node-1)';

let deps: TestDeps;
let state: Awaited<ReturnType<typeof withPod>>;
beforeEach(async () => {
  ({ deps, state } = await launchAt(withPod));
});

/** Runs Relaunch on a plan, as the state machine does when infrastructure took the plan's Pod. */
async function relaunched(by: TestDeps, plan: LaunchPlan, error: Error = evicted): Promise<LaunchPlan> {
  return await relaunch(by, RelaunchInput.parse({ ...plan, failure: failureOf(error) }));
}

function left({ cluster }: TestDeps): string[] {
  return [...cluster.services.all(), ...cluster.pods.all()].map(({ metadata }) => metadata.name);
}

describe('a launch whose Pod infrastructure took', () => {
  test("continues with the same plan under the next agent's name and with new deadlines, which its record has", async () => {
    ({ deps, state } = await launchAt(withToken));
    deps.clock.advance(30_000);

    const plan = await relaunched(deps, state);

    expect(plan).toEqual({
      ...planOf(testLaunchId),
      agentName: 'davit-github-1-2-1-r2',
      generation: 2,
      startedAtEpochMs: 1_767_225_630_000,
    });
    const ended = { agentName: testAgentName, code: 'PodEvicted', message: `PodEvicted: ${evictedSays}` };
    expect(await deps.launches.get(testLaunchId)).toMatchObject({
      status: 'launching',
      plan,
      env: { GREETING: 'hello' },
      generations: [{ ...ended, endedAtEpochMs: 1_767_225_630_000 }],
    });
  });

  test('keeps the timeline of each earlier generation, and none of the new one', async () => {
    deps = makeTestDeps();
    deps.clock.advance(100);
    const published = await withToken(deps);
    const { token: _token, ...untilHost } = published;

    const second = await relaunched(deps, published);
    await relaunched(deps, { ...untilHost, ...second }, new RelaunchError('NodeLost', 'node-1 was shut down'));

    const record = await deps.launches.get(testLaunchId);
    expect(record?.generations?.[0]?.timeline).toEqual({
      serviceMs: 100,
      portMs: 100,
      podMs: 100,
      hostMs: 100,
      tokenMs: 100,
    });
    expect(record?.generations?.[1]?.timeline).not.toHaveProperty('tokenMs');
    expect(record).not.toHaveProperty('timeline');
  });

  test('loses its Service and its Pod, the Service first, and does not wait: on a lost node that would be forever', async () => {
    deps.cluster.terminationMs = Number.MAX_SAFE_INTEGER;

    await relaunched(deps, state);

    expect(deps.cluster.writes.slice(2)).toEqual(['delete Service davit-github-1-2-1 service-uid-1']);
    expect(deps.cluster.pods.all()).toMatchObject([{ metadata: { deletionTimestamp: '2026-01-01T00:00:00.000Z' } }]);
    expect(deps.nowEpochMs()).toBe(1_767_225_600_000);
  });

  test('changes its record before anything is deleted', async () => {
    deps.cluster.terminationMs = 1000;
    const agents: unknown[] = [];
    const look = async () => agents.push((await deps.launches.get(testLaunchId))?.plan?.agentName);
    beforeCalls(deps.cluster.services, 'delete', look);
    beforeCalls(deps.cluster.pods, 'delete', look);

    await relaunched(deps, state);

    expect(new Set(agents)).toEqual(new Set(['davit-github-1-2-1-r2']));
  });

  test('whose Pod is already gone continues, too', async () => {
    deps = makeTestDeps();
    const plan = await requestLaunch(deps);

    expect(await relaunched(deps, plan)).toMatchObject({ generation: 2 });
    expect(deps.cluster.writes).toEqual([]);
  });
});

describe('a repeated Relaunch', () => {
  test('returns the same plan, and keeps the objects of the new generation', async () => {
    const plan = await relaunched(deps, state);
    await createService(deps, { ...plan, expose: 'nodePort' });
    deps.clock.advance(30_000);

    expect(await relaunched(deps, state)).toEqual(plan);
    expect(left(deps)).toEqual(['davit-github-1-2-1-r2']);
    expect((await deps.launches.get(testLaunchId))?.generations).toHaveLength(1);
  });

  test('removes nothing of a later generation, and ends in an error without consequences', async () => {
    const third = await relaunched(deps, await relaunched(deps, state));
    await createService(deps, { ...third, expose: 'nodePort' });

    await expect(relaunched(deps, state)).rejects.toMatchObject({ name: 'TerminalError', code: 'PodEvicted' });
    expect(left(deps)).toEqual(['davit-github-1-2-1-r3']);
    expect(await deps.launches.get(testLaunchId)).toMatchObject({ status: 'launching', plan: { generation: 3 } });
  });

  test('removes nothing of a generation that began during the repeat', async () => {
    const restore = beforeCalls(deps, 'openCluster', async () => {
      restore();
      const third = await relaunched(deps, await relaunched(deps, state));
      await createService(deps, { ...third, expose: 'nodePort' });
    });

    await relaunched(deps, state);

    expect(left(deps)).toEqual(['davit-github-1-2-1-r3']);
  });
});

describe('a launch that may not be relaunched', () => {
  test.each([
    { maxRelaunches: 0, generation: 1, times: 'once' },
    { maxRelaunches: 1, generation: 2, times: '2 times' },
    { maxRelaunches: 8, generation: 9, times: '9 times' },
  ])(
    "fails with the failure's own code when maxRelaunches is $maxRelaunches and it was launched $times",
    async ({ maxRelaunches, generation, times }) => {
      deps = makeTestDeps();
      const { agentName } = agentOf(testLaunchId, generation);
      const plan = await requestLaunch(deps, { maxRelaunches, generation, agentName });
      const before = await deps.launches.get(testLaunchId);

      await expect(relaunched(deps, plan)).rejects.toMatchObject({
        name: 'TerminalError',
        code: 'PodEvicted',
        message: `PodEvicted: not launched again: it was launched ${times}; at last: ${evictedSays}`,
      });
      expect(await deps.launches.get(testLaunchId)).toEqual(before);
    },
  );

  test('says that its agent has connected, and keeps its agent', async () => {
    ({ deps, state } = await launchAt(withToken));
    await deps.launches.markConnected(state, 1_767_225_600_000);

    await expect(relaunched(deps, state)).rejects.toMatchObject({
      name: 'TerminalError',
      message: `PodEvicted: not launched again: the launch is connected; at last: ${evictedSays}`,
    });
    expect(await deps.launches.get(testLaunchId)).toMatchObject({ status: 'connected', plan: { generation: 1 } });
    expect(left(deps)).toEqual(['davit-github-1-2-1', 'davit-github-1-2-1']);
  });

  test('says that it was ended, and leaves its objects to its clean-up', async () => {
    await deps.launches.end(testLaunchId, endingOf());

    await expect(relaunched(deps, state)).rejects.toThrow('not launched again: the launch is cleaning; at last: ');
    expect(await deps.launches.get(testLaunchId)).not.toHaveProperty('generations');
    expect(deps.cluster.writes.slice(2)).toEqual([]);
  });

  test('says that its record is gone', async () => {
    deps = makeTestDeps();

    await expect(relaunched(deps, planOf(testLaunchId))).rejects.toThrow('the launch is forgotten; at last: ');
  });

  test("says why even when the cluster's words are long", async () => {
    deps = makeTestDeps();
    const plan = await requestLaunch(deps, { maxRelaunches: 0 });

    await expect(relaunched(deps, plan, new RelaunchError('NodeLost', 'y'.repeat(1000)))).rejects.toThrow(
      'NodeLost: not launched again: it was launched once; at last: yyy',
    );
  });

  test('says that its record has no plan', async () => {
    deps = makeTestDeps();
    const plan = await requestLaunch(deps);
    const { plan: _plan, ...planless } = recordOf(testLaunchId);
    const launches = { relaunch: async () => planless };

    await expect(
      relaunch({ ...deps, launches }, RelaunchInput.parse({ ...plan, failure: failureOf(evicted) })),
    ).rejects.toThrow('PodEvicted: not launched again: the launch is launching; at last: ');
  });

  test.each([
    { for: "the Pod's own failure", error: new TerminalError('PodFailed', 'exit code 1'), says: 'exit code 1' },
    { for: 'any other error', error: new TypeError('x is undefined'), says: 'TypeError: x is undefined' },
  ])("has the code of a defect for $for, because only infrastructure's failures lead here", async ({ error, says }) => {
    deps = makeTestDeps();
    const plan = await requestLaunch(deps, { maxRelaunches: 0 });

    await expect(relaunched(deps, plan, error)).rejects.toMatchObject({
      code: 'Unexpected',
      message: `Unexpected: not launched again: it was launched once; at last: ${says}`,
    });
  });
});

test('an unreachable cluster is tried again, and by then only the next generation is admitted', async () => {
  const down = withCluster(deps, { list: () => Promise.reject(new TransientError('ClusterUnreachable', 'no answer')) });

  await expect(relaunched(down, state)).rejects.toMatchObject({ name: 'TransientError' });
  expect(await deps.launches.get(testLaunchId)).toMatchObject({ plan: { generation: 2 } });

  deps.clock.advance(5000);
  expect(await relaunched(deps, state)).toEqual(nextGeneration(planOf(testLaunchId), 1_767_225_600_000));
  expect(left(deps)).toEqual([]);
});
