import type * as z from 'zod';
import { PendingError, RelaunchError, TerminalError, TransientError } from '../../../../core/errors/errors.ts';
import { executionEnding } from '../../../../core/launch/execution-ending.ts';
import { isPresentAgent } from '../../../../core/launch/launch-record.ts';
import type { LaunchPlan } from '../../../../core/launch/launch-state.ts';
import { CleanUpInput, type CleanUpOutput, cleanUp } from '../../../../functions/clean-up/clean-up.ts';
import { createService } from '../../../../functions/create-service/create-service.ts';
import { RelaunchInput, relaunch } from '../../../../functions/relaunch/relaunch.ts';
import { agentOf, endingOf, epochMs, planOf, tombstoneOf } from '../../../contract/launch-fixtures.ts';
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
import { launchAt, withAgent, withPod, withService } from '../../../support/run-steps.ts';

const terminated137 = { name: 'agent', state: { terminated: { exitCode: 137 } } };
const pullFailed = new TerminalError('ImagePullFailed', 'ErrImagePull: not found', { pod: testAgentName });
const terminated = endingOf({ outcome: 'terminated', code: 'Terminated', message: 'Terminated: DELETE /launches' });

const somebody = { kind: 'person', name: 'arn:aws:iam::1:user/somebody' } as const;

function failedInput(failure = failureOf(pullFailed)) {
  return { ...planOf(testLaunchId), failure };
}

async function failed(deps: TestDeps, failure = failureOf(pullFailed)): Promise<z.infer<typeof CleanUpOutput>> {
  return await cleanUp(deps, CleanUpInput.parse(failedInput(failure)));
}

/** EventBridge's event for the end of an execution. */
function eventOf(status: string, detail = {}) {
  return CleanUpInput.parse({
    'detail-type': 'Step Functions Execution Status Change',
    source: 'aws.states',
    detail: { name: testLaunchId, status, ...detail },
  });
}

const nobodyLooks = async () => failTest('nothing is to be removed');
const unreachable = async () => {
  throw new TransientError('ClusterUnreachable', 'no answer');
};

function expectNothingLeft({ cluster }: TestDeps): void {
  expect(cluster.services.all()).toEqual([]);
  expect(cluster.pods.all()).toEqual([]);
}

describe('a launch whose cluster davit.yaml no longer has', () => {
  test('is over at once, and both records say that objects may be left', async () => {
    const { deps } = await launchAt(withPod);
    deps.openCluster = async (cluster) => {
      throw new TerminalError('ProfileUnknown', `no cluster ${cluster}`, { cluster });
    };

    const output = await failed(deps);
    const record = await deps.launches.get(testLaunchId);
    await failed(deps);

    expect(output.code).toBe('ImagePullFailed');
    expect(record).toMatchObject({ status: 'failed', left: { clusters: ['sandbox'], atEpochMs: epochMs } });
    expect(record).not.toHaveProperty('cleanedAtEpochMs');
    expect(await deps.launches.get(testLaunchId)).toEqual(record);
    const left = [{ launchId: testLaunchId, namespace: 'davit-agents' }];
    expect(await deps.clusterStates.get('sandbox')).toMatchObject({ connected: 'unknown', left });
  });

  test('is cleaned up in the clusters that davit.yaml has', async () => {
    const { deps } = await launchAt(withPod);
    const { openCluster } = deps;
    const moved = {
      agentName: testAgentName,
      cluster: 'old',
      code: 'ClusterAway',
      message: '',
      endedAtEpochMs: epochMs,
    };
    await deps.launches.relaunch(planOf(testLaunchId, { generation: 2, agentName: `${testAgentName}-r2` }), moved);
    deps.openCluster = async (cluster) => {
      if (cluster !== 'old') return openCluster(cluster);
      throw new TerminalError('ProfileUnknown', `no cluster ${cluster}`, { cluster });
    };

    await failed(deps);

    expectNothingLeft(deps);
    expect(await deps.launches.get(testLaunchId)).toMatchObject({ status: 'failed', left: { clusters: ['old'] } });
  });
});

describe('a launch whose Pod is held', () => {
  const untilEpochMs = epochMs + 600_000;
  const launchHeld = () => launchAt((deps) => withPod(deps, { holdFailedSeconds: 600 }));
  const asked = CleanUpInput.parse({ launchId: testLaunchId });

  test('keeps its Pod, the Service that owns the Pod, and its diagnostics', async () => {
    const { deps } = await launchHeld();

    const outputs = [await failed(deps), await cleanUp(deps, asked)];

    const output = { code: 'ImagePullFailed', message: pullFailed.message };
    expect(outputs).toEqual([output, output]);
    expect(deps.cluster.pods.all()).toHaveLength(1);
    expect(deps.cluster.services.all()).toHaveLength(1);
    const record = await deps.launches.get(testLaunchId);
    expect(record).toMatchObject({ status: 'cleaning', hold: { untilEpochMs }, diagnostics: { atEpochMs: epochMs } });
    expect(isPresentAgent(record, testAgentName)).toBe(false);
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
    const { deps } = await launchHeld();
    await failed(deps);

    await release(deps);
    await cleanUp(deps, asked);

    expectNothingLeft(deps);
    expect(await deps.launches.get(testLaunchId)).toMatchObject({
      status: 'failed',
      ending: { code: 'ImagePullFailed' },
    });
  });

  test('stays held when its job or another caller of davit ends it, and before its time is over', async () => {
    const { deps } = await launchHeld();
    await failed(deps);

    await deps.launches.end(testLaunchId, terminated);
    await deps.launches.claimCleanUp(testLaunchId, untilEpochMs - 1, untilEpochMs - 2);
    await cleanUp(deps, asked);

    expect(deps.cluster.pods.all()).toHaveLength(1);
    expect(await deps.launches.get(testLaunchId)).toMatchObject({ status: 'cleaning' });
  });

  test('is over at once if there is no Pod, if the Pod is on its way out, or if it is of another owner', async () => {
    for (const change of [{ labels: {} }, { deletionTimestamp: '2026-01-01T00:00:00Z' }, undefined]) {
      const { deps } = await launchHeld();
      const get = deps.cluster.pods.get.bind(deps.cluster.pods);
      deps.cluster.pods.get = async (...called) => {
        const pod = await get(...called);
        return pod && change && { ...pod, metadata: { ...pod.metadata, ...change } };
      };

      await failed(deps);

      expectNothingLeft(deps);
      expect(await deps.launches.get(testLaunchId)).toMatchObject({ status: 'failed' });
    }
  });

  test.each([
    { what: 'that a person ended', bring: withPod, ending: terminated },
    { what: 'whose agent had connected', bring: withAgent, ending: endingOf({ code: 'AgentExited' }) },
  ])('is none $what', async ({ bring, ending }) => {
    const { deps } = await launchAt((made) => bring(made, { holdFailedSeconds: 600 }));

    await deps.launches.end(testLaunchId, ending);
    await cleanUp(deps, asked);

    expectNothingLeft(deps);
    expect(await deps.launches.get(testLaunchId)).not.toHaveProperty('hold');
  });
});

describe('a launch that failed in the state machine', () => {
  test('leaves nothing, and its record says why', async () => {
    const { deps } = await launchAt(withPod);
    deps.clock.advance(5000);

    const output = await failed(deps);

    expect(output).toEqual({ code: 'ImagePullFailed', message: pullFailed.message });
    expectNothingLeft(deps);
    expect(await deps.launches.get(testLaunchId)).toMatchObject({
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
    const deps = makeTestDeps();
    deps.cluster.terminationMs = 1000;
    deps.clock.advance(250);
    const state = await withPod(deps);
    deps.cluster.report(testAgentName, {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-01T00:00:02Z' }],
      containerStatuses: [running('agent')],
    });

    await cleanUp(deps, CleanUpInput.parse({ ...state, failure: failureOf(pullFailed) }));

    expect((await deps.launches.get(testLaunchId))?.timeline).toEqual({
      serviceMs: 250,
      portMs: 250,
      podMs: 250,
      scheduledMs: 2000,
      containersMs: 3000,
    });
  });

  test('whose steps have not left the time of its start has no timeline', async () => {
    const deps = makeTestDeps();
    const { launchId, agentName, cluster, namespace } = await requestLaunch(deps);
    const input = { launchId, agentName, cluster, namespace, service: { createdAtEpochMs: epochMs } };

    await cleanUp(deps, CleanUpInput.parse({ ...input, failure: failureOf(pullFailed) }));

    expect(await deps.launches.get(testLaunchId)).not.toHaveProperty('timeline');
  });

  test("has its Pod's Events and the end of its log in the diagnostics, read before their removal", async () => {
    const { deps } = await launchAt(withPod);
    const { cluster } = deps;
    cluster.report(testAgentName, { phase: 'Failed', containerStatuses: [terminated137] });
    cluster.reports.addEvent(testAgentName, { reason: 'Killing', message: 'told hello', count: 2 });
    cluster.reports.log = async () => (cluster.pods.all().length > 0 ? 'GREETING=hello\nbye\n' : undefined);

    await failed(deps);

    expect((await deps.launches.get(testLaunchId))?.diagnostics).toEqual({
      atEpochMs: 1_767_225_600_000,
      events: [{ type: 'Warning', reason: 'Killing', message: 'told [masked]', count: 2 }],
      log: { container: 'agent', text: 'GREETING=[masked]\nbye\n' },
      unread: [],
    });
  });

  test('gets no diagnostics from an attempt that could not delete: the next one reads again', async () => {
    const { deps } = await launchAt(withPod);
    const cut = withCluster(deps, { list: () => Promise.reject(new TransientError('ClusterUnreachable', 'refused')) });

    await expect(failed(cut)).rejects.toMatchObject({ code: 'ClusterUnreachable' });
    expect((await deps.launches.get(testLaunchId))?.diagnostics).toBeUndefined();
    deps.cluster.reports.addEvent(testAgentName, { reason: 'Killing', message: 'Stopping container agent' });
    await failed(deps);

    expect((await deps.launches.get(testLaunchId))?.diagnostics?.events).toHaveLength(1);
  });

  test('is marked before anything is deleted: from then on no step creates an object that stays', async () => {
    const { deps } = await launchAt(withPod);
    deps.cluster.terminationMs = 1000;
    const statuses: unknown[] = [];
    const { cluster, launches } = deps;
    const watched = withCluster(deps, {
      delete: async (namespace, name, uid) => {
        statuses.push((await launches.get(testLaunchId))?.status);
        await Promise.all([cluster.services.delete(namespace, name, uid), cluster.pods.delete(namespace, name, uid)]);
      },
    });

    await failed(watched);

    expect(statuses).toEqual(['cleaning', 'cleaning']);
    expectNothingLeft(deps);
  });

  test('is removed even when its record is gone', async () => {
    const { deps } = await launchAt(withPod);
    const { launches } = makeTestDeps();
    const opened: string[] = [];
    const openCluster = async (name: string) => {
      opened.push(name);
      return deps.cluster;
    };

    expect(await failed({ ...deps, launches, openCluster })).toMatchObject({ code: 'ImagePullFailed' });
    expectNothingLeft(deps);
    expect(opened).toEqual(['sandbox']);
  });

  test.each([
    { what: 'its failure in the state machine', input: failedInput() },
    { what: "its execution's end", input: eventOf('TIMED_OUT') },
  ])('keeps its first ending, and $what leaves its removal to whoever ended it', async ({ input }) => {
    const { deps } = await launchAt(withPod);
    await deps.launches.end(testLaunchId, terminated);

    const output = await cleanUp({ ...deps, openCluster: nobodyLooks }, CleanUpInput.parse(input));

    expect(output).toEqual({ code: 'Terminated', message: 'Terminated: DELETE /launches' });
    expect(await deps.launches.get(testLaunchId)).toMatchObject({ status: 'cleaning', ending: terminated });
  });
});

describe('a launch whose agent has connected', () => {
  const wentOn = 'ObserverFailed: the agent has connected and goes on; at last: ';

  test('is left alone when the state machine fails, and the failure is reported', async () => {
    const { deps } = await launchAt(withPod);
    await deps.launches.markConnected(agentOf(testLaunchId), epochMs + 1);
    const before = await deps.launches.get(testLaunchId);

    const output = await failed(deps, { Error: 'Lambda.TooManyRequestsException', Cause: 'Rate exceeded' });

    expect(output).toEqual({
      code: 'ObserverFailed',
      message: `${wentOn}Lambda.TooManyRequestsException: Rate exceeded`,
    });
    expect(await deps.launches.get(testLaunchId)).toEqual(before);
    expect(deps.cluster.pods.all()).toHaveLength(1);
    expect(deps.cluster.services.all()).toHaveLength(1);
  });

  test.each(['FAILED', 'TIMED_OUT', 'ABORTED'])('is left alone when its execution ended as %s', async (status) => {
    const { deps } = await launchAt(withPod);
    await deps.launches.markConnected(agentOf(testLaunchId), epochMs + 1);
    const { length: writes } = deps.cluster.writes;

    const output = await cleanUp(deps, eventOf(status));

    expect(output).toEqual({
      code: 'ObserverFailed',
      message: `${wentOn}ExecutionEnded: the execution ended as ${status}`,
    });
    expect(await deps.launches.get(testLaunchId)).toMatchObject({ status: 'connected' });
    expect(deps.cluster.writes).toHaveLength(writes);
  });
});

describe('the reason of a failure is read from the data that Catch gives', () => {
  const code = 'Unexpected';

  test.each([
    {
      fact: 'a davit error',
      failure: failureOf(new PendingError('NodePortPending', 'the Service has no nodePort')),
      ending: { code: 'NodePortPending', message: 'NodePortPending: the Service has no nodePort' },
    },
    {
      fact: 'a defect, without its trace',
      failure: failureOf(new TypeError('x is undefined')),
      ending: { code, message: 'TypeError: x is undefined' },
    },
  ])('$fact', async ({ failure, ending }) => {
    const { deps } = await launchAt(requestLaunch);

    expect(await failed(deps, failure)).toEqual(ending);
  });
});

/** A launch whose first Pod is still ending while its second generation has a Service. */
async function launchedAgain(): Promise<{ deps: TestDeps; plan: LaunchPlan }> {
  const { deps, state } = await launchAt(withPod);
  deps.cluster.terminationMs = 12_000;
  const lost = failureOf(new RelaunchError('NodeLost', 'node-1 was shut down'));
  const plan = await relaunch(deps, RelaunchInput.parse({ ...state, failure: lost }));
  await createService(deps, { ...plan, expose: 'nodePort' });
  return { deps, plan };
}

describe('a relaunched launch', () => {
  test('leaves nothing of any generation when it fails, and waits for all of them', async () => {
    const { deps, plan } = await launchedAgain();

    const input = CleanUpInput.parse({ ...plan, failure: failureOf(pullFailed) });

    expect(await cleanUp(deps, input)).toMatchObject({ code: 'ImagePullFailed' });
    expectNothingLeft(deps);
    expect(await deps.launches.get(testLaunchId)).toMatchObject({
      status: 'failed',
      generations: [{ agentName: 'davit-github-1-2-1', code: 'NodeLost' }],
      cleanedAtEpochMs: 1_767_225_612_000,
    });
  });

  test("does not take the times of an earlier generation's Pod for its own", async () => {
    const { deps, state } = await launchAt(withPod);
    deps.cluster.report(testAgentName, { phase: 'Running', containerStatuses: [running('agent')] });
    deps.cluster.terminationMs = 12_000;
    const lost = failureOf(new RelaunchError('NodeLost', 'node-1 was shut down'));
    const plan = await relaunch(deps, RelaunchInput.parse({ ...state, failure: lost }));

    await cleanUp(deps, CleanUpInput.parse({ ...plan, failure: failureOf(pullFailed) }));

    expect((await deps.launches.get(testLaunchId))?.timeline).not.toHaveProperty('containersMs');
  });

  test("leaves nothing when it is ended between the relaunch's two halves", async () => {
    const { deps, state } = await launchAt(withPod);
    const lost = failureOf(new RelaunchError('NodeLost', 'node-1 was shut down'));
    const input = RelaunchInput.parse({ ...state, failure: lost });
    const { openCluster } = deps;
    const interrupted = {
      ...deps,
      openCluster: async (name: string) => {
        await deps.launches.end(testLaunchId, terminated);
        await cleanUp(deps, { launchId: testLaunchId });
        return openCluster(name);
      },
    };

    const plan = await relaunch(interrupted, input);

    await expect(createService(deps, { ...plan, expose: 'nodePort' })).rejects.toMatchObject({ code: 'LaunchOver' });
    expectNothingLeft(deps);
  });
});

describe('a launch with an ending in its record', () => {
  test('is removed by its id, without diagnostics', async () => {
    const { deps } = await launchAt(withPod);
    await deps.launches.end(testLaunchId, terminated);
    deps.launches.noteDiagnostics = async () => failTest('it did not fail');

    const output = await cleanUp(deps, CleanUpInput.parse({ launchId: testLaunchId }));

    expect(output).toEqual({ code: 'Terminated', message: 'Terminated: DELETE /launches' });
    expectNothingLeft(deps);
    expect(await deps.launches.get(testLaunchId)).toMatchObject({ status: 'terminated' });
  });

  test('is over when nothing was ever created for it', async () => {
    const deps = makeTestDeps();
    await deps.launches.request(tombstoneOf(testLaunchId));

    expect(await cleanUp(deps, { launchId: testLaunchId })).toMatchObject({ code: 'Terminated' });
  });
});

test.each([
  { fact: 'a launch that is not over', prepare: withPod, detail: 'the launch is launching, not over' },
  { fact: 'a launch whose agent is connected', prepare: withAgent, detail: 'the launch is connected, not over' },
  { fact: 'an unknown launch', prepare: async () => undefined, detail: 'there is no such launch' },
])('$fact is refused when it is named by its id', async ({ prepare, detail }) => {
  const deps = makeTestDeps();
  await prepare(deps);
  const objects = deps.cluster.pods.all();

  await expect(cleanUp(deps, { launchId: testLaunchId })).rejects.toThrow(
    `InputInvalid: CleanUp: ${detail} (launch github-1-2-1)`,
  );
  expect(deps.cluster.pods.all()).toEqual(objects);
});

describe('an execution that Step Functions ended', () => {
  test('leaves nothing', async () => {
    const { deps } = await launchAt(withPod);

    expect(await cleanUp(deps, eventOf('TIMED_OUT', { error: null, cause: null }))).toEqual({
      code: 'ExecutionEnded',
      message: 'ExecutionEnded: the execution ended as TIMED_OUT',
    });
    expectNothingLeft(deps);
  });

  test('of an unknown launch needs nothing', async () => {
    const openCluster = async () => failTest('nobody knows where');

    expect(await cleanUp(makeTestDeps({ openCluster }), eventOf('ABORTED'))).toMatchObject({ code: 'ExecutionEnded' });
  });

  test('is no input when it succeeded', () => {
    expect(() => eventOf('SUCCEEDED')).toThrow();
  });
});

describe("another owner's object under the agent's name", () => {
  test('is left alone', async () => {
    const deps = makeTestDeps();
    const { service } = await withService(deps);
    deps.cluster.services.change(testAgentName, (view) => ({
      ...view,
      metadata: { ...view.metadata, labels: { 'davit.dev/launch-id': 'github-9-9-9' } },
    }));

    await failed(deps);

    expect(deps.cluster.services.all()).toMatchObject([{ metadata: { uid: service.uid } }]);
    expect(await deps.launches.get(testLaunchId)).toMatchObject({ status: 'failed' });
  });

  test('is left alone even when it appears between the read and the delete', async () => {
    const { deps } = await launchAt(withService);
    const { cluster } = deps;
    const raced = withCluster(deps, {
      delete: async (namespace, name, uid) => {
        cluster.services.change(name, (view) => ({ ...view, metadata: { ...view.metadata, uid: 'service-uid-9' } }));
        await cluster.services.delete(namespace, name, uid);
      },
    });

    await failed(raced);

    expect(cluster.services.all()).toMatchObject([{ metadata: { uid: 'service-uid-9' } }]);
  });
});

describe('an agent that ends slowly', () => {
  test('makes clean-up try again after its time, and the launch is not over until then', async () => {
    const { deps } = await launchAt(withPod);
    deps.cluster.terminationMs = 31_000;

    await expect(failed(deps)).rejects.toThrow(
      'RemovalPending: Pod davit-github-1-2-1 is not gone yet (launch github-1-2-1, cluster sandbox, namespace davit-agents)',
    );
    expect(deps.nowEpochMs()).toBe(1_767_225_620_000);
    expect(await deps.launches.get(testLaunchId)).toMatchObject({ status: 'cleaning' });

    await failed(deps);
    expectNothingLeft(deps);
    expect(await deps.launches.get(testLaunchId)).toMatchObject({
      status: 'failed',
      cleanedAtEpochMs: 1_767_225_631_000,
    });
  });

  test.each([
    { by: 'its id', ending: terminated, asked: { launchId: testLaunchId } },
    {
      by: 'the end of its execution',
      ending: executionEnding({ status: 'ABORTED' }, epochMs),
      asked: eventOf('ABORTED'),
    },
  ])('fails no clean-up by $by: the launch stays `cleaning`, and the sweep asks again', async ({ ending, asked }) => {
    const { deps } = await launchAt(withPod);
    await deps.launches.end(testLaunchId, ending);
    deps.cluster.terminationMs = 31_000;

    const output = await cleanUp(deps, CleanUpInput.parse(asked));

    expect(output).toEqual({
      code: 'RemovalPending',
      message: expect.stringContaining('Pod davit-github-1-2-1 is not gone yet'),
    });
    expect(await deps.launches.get(testLaunchId)).toMatchObject({ status: 'cleaning' });
  });

  test('does not hide an unreachable cluster', async () => {
    const { deps } = await launchAt(withPod);
    await deps.launches.end(testLaunchId, terminated);
    const cut = withCluster(deps, { list: () => Promise.reject(new TransientError('ClusterUnreachable', 'refused')) });

    const attempt = cleanUp(cut, CleanUpInput.parse({ launchId: testLaunchId }));

    await expect(attempt).rejects.toMatchObject({ code: 'ClusterUnreachable' });
  });
});

test('two clean-ups at the same time have the same outcome, and delete once', async () => {
  const { deps } = await launchAt(withPod);
  deps.cluster.terminationMs = 3000;

  const outputs = await Promise.all([failed(deps), failed(deps)]);

  expect(outputs).toEqual([outputs[0], outputs[0]]);
  expectNothingLeft(deps);
  expect(deps.cluster.writes.slice(2)).toEqual(['delete Service davit-github-1-2-1 service-uid-1']);
});

test.each([failedInput(), eventOf('FAILED')])(
  'a second clean-up for %j does not look again, and answers the same',
  async (input) => {
    const { deps } = await launchAt(withPod);
    const first = await failed(deps);
    deps.clock.advance(60_000);

    expect(await cleanUp({ ...deps, openCluster: nobodyLooks }, CleanUpInput.parse(input))).toEqual(first);
    expect(await deps.launches.get(testLaunchId)).toMatchObject({ cleanedAtEpochMs: 1_767_225_600_000 });
  },
);

test('an execution that ended in the middle of its CleanUp is cleaned up by its event', async () => {
  const { deps } = await launchAt(withPod);
  await expect(failed({ ...deps, openCluster: unreachable })).rejects.toThrow('ClusterUnreachable');

  expect(await cleanUp(deps, eventOf('FAILED'))).toMatchObject({ code: 'ImagePullFailed' });
  expectNothingLeft(deps);
});

test.each([{}, { launchId: testLaunchId, other: 1 }, { launchId: '../x' }, { failure: { Error: 'X' } }])(
  '%j is no input of clean-up',
  (input) => {
    expect(CleanUpInput.safeParse(input).success).toBe(false);
  },
);
