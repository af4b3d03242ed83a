import type * as z from 'zod';
import { RelaunchError, TerminalError, TransientError } from '../../../../core/errors/errors.ts';
import { executionEnding } from '../../../../core/launch/execution-ending.ts';
import { isPresentAgent } from '../../../../core/launch/launch-record.ts';
import { CleanUpInput, type CleanUpOutput, cleanUp } from '../../../../functions/clean-up/clean-up.ts';
import { createService } from '../../../../functions/create-service/create-service.ts';
import { RelaunchInput, relaunch } from '../../../../functions/relaunch/relaunch.ts';
import { agentOf, endingOf, epochMs, planOf, tombstoneOf } from '../../../contract/launch-fixtures.ts';
import { aroundCalls, beforeCalls, refuseCalls } from '../../../support/around-calls.ts';
import { failTest } from '../../../support/fail-test.ts';
import { failureOf } from '../../../support/failure-of.ts';
import {
  makeTestDeps,
  requestLaunch,
  type TestDeps,
  testAgentName,
  testLaunchId,
} from '../../../support/make-test-deps.ts';
import { running } from '../../../support/pod-view.ts';
import { withCluster } from '../../../support/port-with.ts';
import { launchAt, withAgent, withPod } from '../../../support/run-steps.ts';

const terminated137 = { name: 'agent', state: { terminated: { exitCode: 137 } } };
const pullFailed = new TerminalError('ImagePullFailed', 'ErrImagePull: not found', { pod: testAgentName });
const terminated = endingOf({ outcome: 'terminated', code: 'Terminated', message: 'Terminated: DELETE /launches' });

const somebody = { kind: 'person', name: 'arn:aws:iam::1:user/somebody' } as const;

const lost = failureOf(new RelaunchError('NodeLost', 'node-1 was shut down'));
let deps: TestDeps;
let state: Awaited<ReturnType<typeof withPod>>;

beforeEach(async () => {
  ({ deps, state } = await launchAt(withPod));
});

const failedInput = { ...planOf(testLaunchId), failure: failureOf(pullFailed) };

async function failed(by = deps): Promise<z.infer<typeof CleanUpOutput>> {
  return await cleanUp(by, CleanUpInput.parse(failedInput));
}

const record = () => deps.launches.get(testLaunchId);

/** EventBridge's event for the end of an execution. */
function eventOf(status: string, detail = {}) {
  return CleanUpInput.parse({
    'detail-type': 'Step Functions Execution Status Change',
    source: 'aws.states',
    detail: { name: testLaunchId, status, ...detail },
  });
}

const nobodyLooks = async () => failTest('nothing is to be removed');

function expectNothingLeft(): void {
  expect(deps.cluster.services.all()).toEqual([]);
  expect(deps.cluster.pods.all()).toEqual([]);
}

describe('a launch whose cluster davit.yaml no longer has', () => {
  const notInConfig = new TerminalError('ProfileUnknown', 'no such cluster');

  test('is over at once, and both records say that objects may be left', async () => {
    refuseCalls(deps, 'openCluster', notInConfig);

    const output = await failed();
    const over = await record();
    await failed();

    expect(output.code).toBe('ImagePullFailed');
    expect(over).toMatchObject({ status: 'failed', left: { clusters: ['sandbox'], atEpochMs: epochMs } });
    expect(over).not.toHaveProperty('cleanedAtEpochMs');
    expect(await record()).toEqual(over);
    const left = [{ launchId: testLaunchId, namespace: 'davit-agents' }];
    expect(await deps.clusterStates.get('sandbox')).toMatchObject({ connected: 'unknown', left });
  });

  test('is cleaned up in the clusters that davit.yaml has', async () => {
    const next = planOf(testLaunchId, { generation: 2, agentName: `${testAgentName}-r2` });
    const left = { agentName: testAgentName, cluster: 'old', code: 'ClusterAway', message: '' };
    await deps.launches.relaunch(next, { ...left, endedAtEpochMs: epochMs });
    beforeCalls(deps, 'openCluster', (cluster) => {
      if (cluster === 'old') throw notInConfig;
    });

    await failed();

    expectNothingLeft();
    expect(await record()).toMatchObject({ status: 'failed', left: { clusters: ['old'] } });
  });
});

describe('a launch whose Pod is held', () => {
  const untilEpochMs = epochMs + 600_000;
  const launchHeld = () => launchAt((made) => withPod(made, { holdFailedSeconds: 600 }));
  const asked = CleanUpInput.parse({ launchId: testLaunchId });

  test('keeps its Pod, the Service that owns the Pod, and its diagnostics', async () => {
    ({ deps } = await launchHeld());

    const outputs = [await failed(), await cleanUp(deps, asked)];

    const output = { code: 'ImagePullFailed', message: pullFailed.message };
    expect(outputs).toEqual([output, output]);
    expect(deps.cluster.pods.all()).toHaveLength(1);
    expect(deps.cluster.services.all()).toHaveLength(1);
    const held = await record();
    expect(held).toMatchObject({ status: 'cleaning', hold: { untilEpochMs }, diagnostics: { atEpochMs: epochMs } });
    expect(isPresentAgent(held, testAgentName)).toBe(false);
  });

  test.each([
    {
      by: 'a person ends it',
      release: ({ launches }: TestDeps) => launches.end(testLaunchId, { ...terminated, actor: somebody }),
    },
    {
      by: 'a sweep finds that its time is over',
      release: ({ launches }: TestDeps) => launches.claimCleanUp(testLaunchId, untilEpochMs, 0),
    },
  ])('leaves nothing as soon as $by', async ({ release }) => {
    ({ deps } = await launchHeld());
    await failed();

    await release(deps);
    await cleanUp(deps, asked);

    expectNothingLeft();
    expect(await record()).toMatchObject({ status: 'failed', ending: { code: 'ImagePullFailed' } });
  });

  test('stays held when its job or another caller of davit ends it, and before its time is over', async () => {
    ({ deps } = await launchHeld());
    await failed();

    await deps.launches.end(testLaunchId, terminated);
    await deps.launches.claimCleanUp(testLaunchId, untilEpochMs - 1, untilEpochMs - 2);
    await cleanUp(deps, asked);

    expect(deps.cluster.pods.all()).toHaveLength(1);
    expect(await record()).toMatchObject({ status: 'cleaning' });
  });

  test('is over at once if there is no Pod, if the Pod is on its way out, or if it is of another owner', async () => {
    for (const change of [{ labels: {} }, { deletionTimestamp: '2026-01-01T00:00:00Z' }, undefined]) {
      ({ deps } = await launchHeld());
      aroundCalls(deps.cluster.pods, 'get', async (get) => {
        const pod = await get();
        return pod && change && { ...pod, metadata: { ...pod.metadata, ...change } };
      });

      await failed();

      expectNothingLeft();
      expect(await record()).toMatchObject({ status: 'failed' });
    }
  });

  test.each([
    { what: 'that a person ended', bring: withPod, ending: terminated },
    { what: 'whose agent had connected', bring: withAgent, ending: endingOf({ code: 'AgentExited' }) },
  ])('is none $what', async ({ bring, ending }) => {
    ({ deps } = await launchAt((made) => bring(made, { holdFailedSeconds: 600 })));

    await deps.launches.end(testLaunchId, ending);
    await cleanUp(deps, asked);

    expectNothingLeft();
    expect(await record()).not.toHaveProperty('hold');
  });
});

describe('a launch that failed in the state machine', () => {
  test('leaves nothing, and its record says why', async () => {
    deps.clock.advance(5000);

    const output = await failed();

    expect(output).toEqual({ code: 'ImagePullFailed', message: pullFailed.message });
    expectNothingLeft();
    expect(await record()).toMatchObject({
      status: 'failed',
      ending: {
        outcome: 'failed',
        code: 'ImagePullFailed',
        message: 'ImagePullFailed: ErrImagePull: not found (pod davit-github-1-2-1)',
        by: 'the state machine',
        actor: { kind: 'davit', name: 'the state machine' },
        atEpochMs: 1_767_225_605_000,
      },
      cleanedAtEpochMs: 1_767_225_605_000,
    });
  });

  test('records its timeline: the times of its steps, and the last ones of its Pod', async () => {
    deps = makeTestDeps();
    deps.cluster.terminationMs = 1000;
    deps.clock.advance(250);
    state = await withPod(deps);
    deps.cluster.report(testAgentName, {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-01T00:00:02Z' }],
      containerStatuses: [running('agent')],
    });

    await cleanUp(deps, CleanUpInput.parse({ ...state, failure: failureOf(pullFailed) }));

    expect((await record())?.timeline).toEqual({
      serviceMs: 250,
      portMs: 250,
      podMs: 250,
      scheduledMs: 2000,
      containersMs: 3000,
    });
  });

  test('whose steps have not left the time of its start has no timeline', async () => {
    deps = makeTestDeps();
    const { launchId, agentName, cluster, namespace } = await requestLaunch(deps);
    const input = { launchId, agentName, cluster, namespace, service: { createdAtEpochMs: epochMs } };

    await cleanUp(deps, CleanUpInput.parse({ ...input, failure: failureOf(pullFailed) }));

    expect(await record()).not.toHaveProperty('timeline');
  });

  test("has its Pod's Events and the end of its log in the diagnostics, read before their removal", async () => {
    const { cluster } = deps;
    cluster.report(testAgentName, { phase: 'Failed', containerStatuses: [terminated137] });
    cluster.reports.addEvent(testAgentName, { reason: 'Killing', message: 'told hello', count: 2 });
    cluster.reports.log = async () => (cluster.pods.all().length > 0 ? 'GREETING=hello\nbye\n' : undefined);

    await failed();

    expect((await record())?.diagnostics).toEqual({
      atEpochMs: 1_767_225_600_000,
      events: [{ type: 'Warning', reason: 'Killing', message: 'told [masked]', count: 2 }],
      log: { container: 'agent', text: 'GREETING=[masked]\nbye\n' },
      unread: [],
    });
  });

  test('gets no diagnostics from an attempt that could not delete: the next one reads again', async () => {
    const cut = withCluster(deps, { list: () => Promise.reject(new TransientError('ClusterUnreachable', 'refused')) });

    await expect(failed(cut)).rejects.toMatchObject({ code: 'ClusterUnreachable' });
    expect((await record())?.diagnostics).toBeUndefined();
    deps.cluster.reports.addEvent(testAgentName, { reason: 'Killing', message: 'Stopping container agent' });
    await failed();

    expect((await record())?.diagnostics?.events).toHaveLength(1);
  });

  test('is marked before anything is deleted: from then on no step creates an object that stays', async () => {
    deps.cluster.terminationMs = 1000;
    const statuses: unknown[] = [];
    const look = async () => statuses.push((await record())?.status);
    beforeCalls(deps.cluster.services, 'delete', look);
    beforeCalls(deps.cluster.pods, 'delete', look);

    await failed();

    expect(new Set(statuses)).toEqual(new Set(['cleaning']));
    expectNothingLeft();
  });

  test('is removed even when its record is gone', async () => {
    const { launches } = makeTestDeps();
    const opened: string[] = [];
    const openCluster = async (name: string) => {
      opened.push(name);
      return deps.cluster;
    };

    expect(await failed({ ...deps, launches, openCluster })).toMatchObject({ code: 'ImagePullFailed' });
    expectNothingLeft();
    expect(opened).toEqual(['sandbox']);
  });

  test.each([
    { what: 'its failure in the state machine', input: failedInput },
    { what: "its execution's end", input: eventOf('TIMED_OUT') },
  ])('keeps its first ending, and $what leaves its removal to whoever ended it', async ({ input }) => {
    await deps.launches.end(testLaunchId, terminated);

    const output = await cleanUp({ ...deps, openCluster: nobodyLooks }, CleanUpInput.parse(input));

    expect(output).toEqual({ code: 'Terminated', message: 'Terminated: DELETE /launches' });
    expect(await record()).toMatchObject({ status: 'cleaning', ending: terminated });
  });
});

describe('a launch whose agent has connected', () => {
  const wentOn = 'ObserverFailed: the agent has connected and goes on; at last: ';

  const tooMany = { Error: 'Lambda.TooManyRequestsException', Cause: 'Rate exceeded' };
  test.each([
    {
      when: 'the state machine fails',
      input: { ...failedInput, failure: tooMany },
      words: 'Lambda.TooManyRequestsException: Rate exceeded',
    },
    ...['FAILED', 'TIMED_OUT', 'ABORTED'].map((status) => ({
      when: `its execution ended as ${status}`,
      input: eventOf(status),
      words: `ExecutionEnded: the execution ended as ${status}`,
    })),
  ])('is left alone when $when, and that is reported', async ({ input, words }) => {
    await deps.launches.markConnected(agentOf(testLaunchId), epochMs + 1);
    const before = await record();
    const { length: writes } = deps.cluster.writes;

    const output = await cleanUp(deps, CleanUpInput.parse(input));

    expect(output).toEqual({ code: 'ObserverFailed', message: `${wentOn}${words}` });
    expect(await record()).toEqual(before);
    expect(deps.cluster.writes).toHaveLength(writes);
  });
});

describe('a relaunched launch', () => {
  test("does not take the times of an earlier generation's Pod for its own", async () => {
    deps.cluster.report(testAgentName, { phase: 'Running', containerStatuses: [running('agent')] });
    deps.cluster.terminationMs = 12_000;
    const plan = await relaunch(deps, RelaunchInput.parse({ ...state, failure: lost }));

    await cleanUp(deps, CleanUpInput.parse({ ...plan, failure: failureOf(pullFailed) }));

    expect((await record())?.timeline).not.toHaveProperty('containersMs');
  });

  test("leaves nothing when it is ended between the relaunch's two halves", async () => {
    const restore = beforeCalls(deps, 'openCluster', async () => {
      restore();
      await deps.launches.end(testLaunchId, terminated);
      await cleanUp(deps, { launchId: testLaunchId });
    });

    const plan = await relaunch(deps, RelaunchInput.parse({ ...state, failure: lost }));

    await expect(createService(deps, { ...plan, expose: 'nodePort' })).rejects.toMatchObject({ code: 'LaunchOver' });
    expectNothingLeft();
  });
});

describe('a launch with an ending in its record', () => {
  test('is removed by its id, without diagnostics', async () => {
    await deps.launches.end(testLaunchId, terminated);
    deps.launches.noteDiagnostics = async () => failTest('it did not fail');

    const output = await cleanUp(deps, CleanUpInput.parse({ launchId: testLaunchId }));

    expect(output).toEqual({ code: 'Terminated', message: 'Terminated: DELETE /launches' });
    expectNothingLeft();
    expect(await record()).toMatchObject({ status: 'terminated' });
  });

  test('is over when nothing was ever created for it', async () => {
    deps = makeTestDeps();
    await deps.launches.request(tombstoneOf(testLaunchId));

    expect(await cleanUp(deps, { launchId: testLaunchId })).toMatchObject({ code: 'Terminated' });
  });
});

test.each([
  { fact: 'a launch that is not over', prepare: withPod, detail: 'the launch is launching, not over' },
  { fact: 'a launch whose agent is connected', prepare: withAgent, detail: 'the launch is connected, not over' },
  { fact: 'an unknown launch', prepare: async () => undefined, detail: 'there is no such launch' },
])('$fact is refused when it is named by its id', async ({ prepare, detail }) => {
  deps = makeTestDeps();
  await prepare(deps);
  const objects = deps.cluster.pods.all();

  await expect(cleanUp(deps, { launchId: testLaunchId })).rejects.toThrow(
    `InputInvalid: CleanUp: ${detail} (launch github-1-2-1)`,
  );
  expect(deps.cluster.pods.all()).toEqual(objects);
});

describe('an execution that Step Functions ended', () => {
  test('leaves nothing', async () => {
    expect(await cleanUp(deps, eventOf('TIMED_OUT', { error: null, cause: null }))).toEqual({
      code: 'ExecutionEnded',
      message: 'ExecutionEnded: the execution ended as TIMED_OUT',
    });
    expectNothingLeft();
  });

  test('of an unknown launch needs nothing', async () => {
    const openCluster = async () => failTest('nobody knows where');

    expect(await cleanUp(makeTestDeps({ openCluster }), eventOf('ABORTED'))).toMatchObject({ code: 'ExecutionEnded' });
  });

  test('is no input when it succeeded', () => {
    expect(() => eventOf('SUCCEEDED')).toThrow();
  });
});

describe('an agent that ends slowly', () => {
  test('makes clean-up try again after its time, and the launch is not over until then', async () => {
    deps.cluster.terminationMs = 31_000;

    await expect(failed()).rejects.toThrow(
      'RemovalPending: Pod davit-github-1-2-1 is not gone yet (launch github-1-2-1, cluster sandbox, namespace davit-agents)',
    );
    expect(deps.nowEpochMs()).toBe(1_767_225_620_000);
    expect(await record()).toMatchObject({ status: 'cleaning' });

    await failed();
    expectNothingLeft();
    expect(await record()).toMatchObject({ status: 'failed', cleanedAtEpochMs: 1_767_225_631_000 });
  });

  test.each([
    { by: 'its id', ending: terminated, asked: { launchId: testLaunchId } },
    {
      by: 'the end of its execution',
      ending: executionEnding({ status: 'ABORTED' }, epochMs),
      asked: eventOf('ABORTED'),
    },
  ])('fails no clean-up by $by: the launch stays `cleaning`, and the sweep asks again', async ({ ending, asked }) => {
    await deps.launches.end(testLaunchId, ending);
    deps.cluster.terminationMs = 31_000;

    const output = await cleanUp(deps, CleanUpInput.parse(asked));

    expect(output).toEqual({
      code: 'RemovalPending',
      message: expect.stringContaining('Pod davit-github-1-2-1 is not gone yet'),
    });
    expect(await record()).toMatchObject({ status: 'cleaning' });
  });
});

test('a clean-up is not over while a Service outlives its Pod', async () => {
  await deps.launches.end(testLaunchId, endingOf());
  deps.cluster.holdsServices = true;
  const input = CleanUpInput.parse({ launchId: testLaunchId });

  expect(await cleanUp(deps, input)).toMatchObject({
    code: 'RemovalPending',
    message: expect.stringContaining(`Service ${testAgentName} is not gone yet`),
  });
  expect(deps.cluster.pods.all()).toEqual([]);
  expect(await record()).toMatchObject({ status: 'cleaning' });

  deps.cluster.services.remove(testAgentName);
  await cleanUp(deps, input);

  expect(await record()).toMatchObject({ status: 'failed' });
});

test('two clean-ups at the same time have the same outcome, and delete once', async () => {
  deps.cluster.terminationMs = 3000;

  const outputs = await Promise.all([failed(), failed()]);

  expect(outputs).toEqual([outputs[0], outputs[0]]);
  expectNothingLeft();
  expect(deps.cluster.writes.slice(2)).toEqual(['delete Service davit-github-1-2-1 service-uid-1']);
});

test.each([
  { of: 'its failure', input: failedInput },
  { of: "its execution's end", input: eventOf('FAILED') },
])('a second clean-up, of $of, does not look again, and answers the same', async ({ input }) => {
  const first = await failed();
  deps.clock.advance(60_000);

  expect(await cleanUp({ ...deps, openCluster: nobodyLooks }, CleanUpInput.parse(input))).toEqual(first);
  expect(await record()).toMatchObject({ cleanedAtEpochMs: 1_767_225_600_000 });
});

test('an execution that ended in the middle of its CleanUp is cleaned up by its event', async () => {
  const restore = refuseCalls(deps, 'openCluster', new TransientError('ClusterUnreachable', 'no answer'));
  await expect(failed()).rejects.toThrow('ClusterUnreachable');
  restore();

  expect(await cleanUp(deps, eventOf('FAILED'))).toMatchObject({ code: 'ImagePullFailed' });
  expectNothingLeft();
});

test.each([{}, { launchId: testLaunchId, other: 1 }, { launchId: '../x' }, { failure: { Error: 'X' } }])(
  '%j is no input of clean-up',
  (input) => {
    expect(CleanUpInput.safeParse(input).success).toBe(false);
  },
);
