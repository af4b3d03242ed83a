import { RelaunchError } from '../../../../core/errors/errors.ts';
import type { LaunchPlan } from '../../../../core/launch/launch-state.ts';
import { cleanUp } from '../../../../functions/clean-up/clean-up.ts';
import { createService } from '../../../../functions/create-service/create-service.ts';
import { RelaunchInput, relaunch } from '../../../../functions/relaunch/relaunch.ts';
import { endingOf, epochMs } from '../../../contract/launch-fixtures.ts';
import { testAgentName, testLaunchId } from '../../../support/make-test-deps.ts';
import { withPod } from '../../../support/run-steps.ts';
import { makeTwoClusters, mayMove, reportAway, type TwoClusters } from '../../../support/two-clusters.ts';

const away = new RelaunchError('ClusterAway', 'cluster sandbox has been away for 60 s');
const refused = new RelaunchError('ClusterRefused', 'cluster sandbox refuses the launch: AdmissionDenied: no');
const evicted = new RelaunchError('PodEvicted', 'low on memory');

let deps: TwoClusters;
beforeEach(() => {
  deps = makeTwoClusters();
});

/** Runs Relaunch on a plan, as the state machine does after a step threw an error. */
async function relaunched(plan: LaunchPlan, error: Error): Promise<LaunchPlan> {
  const Cause = JSON.stringify({ errorType: error.name, errorMessage: error.message });
  return await relaunch(deps, RelaunchInput.parse({ ...plan, failure: { Error: error.name, Cause } }));
}

function namesIn({ services, pods }: TwoClusters['cluster']): string[] {
  return [...services.all(), ...pods.all()].map(({ metadata }) => metadata.name);
}

test('a defect while the old cluster is emptied is not taken for a cluster that refuses', async () => {
  const state = await withPod(deps, mayMove);
  const defect = new TypeError('x is undefined');
  deps.openCluster = async () => {
    throw defect;
  };

  await expect(relaunched(state, refused)).rejects.toBe(defect);
});

describe('a launch whose cluster is away', () => {
  test('continues in the other cluster, under a new name, and its record has the old cluster and the reason', async () => {
    const state = await withPod(deps, mayMove);
    deps.unreachable.add('sandbox');
    deps.clock.advance(70_000);

    const plan = await relaunched(state, away);

    expect(plan).toMatchObject({
      cluster: 'other',
      agentName: `${testAgentName}-r2`,
      generation: 2,
      startedAtEpochMs: epochMs + 70_000,
      failover: { clusters: [], moves: 1 },
    });
    expect(await deps.launches.get(testLaunchId)).toMatchObject({
      status: 'launching',
      plan: { cluster: 'other' },
      generations: [{ agentName: testAgentName, cluster: 'sandbox', code: 'ClusterAway', message: away.message }],
    });
  });

  test('keeps its relaunches: infrastructure may take two Pods before and two after', async () => {
    const first = await relaunched(await withPod(deps, { ...mayMove, maxRelaunches: 2 }), evicted);
    const moved = await relaunched(first, away);
    const last = await relaunched(moved, evicted);

    expect(last).toMatchObject({ generation: 4, cluster: 'other' });
    await expect(relaunched(last, evicted)).rejects.toMatchObject({
      code: 'PodEvicted',
      detail: expect.stringMatching(/^not launched again: it was launched 4 times; at last: low on memory/),
    });
  });

  test('goes to no cluster twice', async () => {
    const moved = await relaunched(await withPod(deps, mayMove), away);

    await expect(relaunched(moved, away)).rejects.toMatchObject({
      code: 'ClusterAway',
      detail: expect.stringMatching(/^not launched again: it has used all of its clusters/),
    });
  });

  test('prefers a cluster that is not away', async () => {
    const failover = { clusters: ['third', 'other'], moves: 0, failoverSeconds: 60, spillSeconds: 300 };
    const state = await withPod(deps, { failover });
    await reportAway(deps.clusterStates, 'third', epochMs);
    deps.clock.advance(20_000);

    expect(await relaunched(state, away)).toMatchObject({
      cluster: 'other',
      failover: { clusters: ['third'], moves: 1 },
    });
  });

  test('is the same however often the step is repeated', async () => {
    const state = await withPod(deps, mayMove);
    const once = await relaunched(state, away);
    deps.clock.advance(1000);

    expect(await relaunched(state, away)).toEqual(once);
    expect((await deps.launches.get(testLaunchId))?.generations).toHaveLength(1);
  });
});

describe('a launch that its cluster refuses', () => {
  test('is removed there at once, as far as the cluster allows', async () => {
    const state = await withPod(deps, mayMove);

    await relaunched(state, refused);

    expect(namesIn(deps.cluster)).toEqual([]);
  });

  test('does not wait for a cluster that allows nothing', async () => {
    const state = await withPod(deps, mayMove);
    deps.unreachable.add('sandbox');

    expect(await relaunched(state, refused)).toMatchObject({ cluster: 'other' });
  });
});

describe('the clean-up of a launch that has moved', () => {
  async function moveAndEnd() {
    const moved = await relaunched(await withPod(deps, mayMove), away);
    await createService(deps, { ...moved, expose: 'nodePort' });
    await deps.launches.end(testLaunchId, endingOf());
  }

  test('removes its objects in every cluster', async () => {
    await moveAndEnd();
    const before = [namesIn(deps.cluster), namesIn(deps.other)];

    await cleanUp(deps, { launchId: testLaunchId });

    expect(before).toEqual([[testAgentName, testAgentName], [`${testAgentName}-r2`]]);
    expect([namesIn(deps.cluster), namesIn(deps.other)]).toEqual([[], []]);
    expect(await deps.launches.get(testLaunchId)).toMatchObject({ status: 'failed' });
  });

  test('does not wait for a cluster that is away, and is not complete before that is back', async () => {
    await moveAndEnd();
    deps.unreachable.add('sandbox');
    await reportAway(deps.clusterStates, 'sandbox', epochMs);
    deps.clock.advance(20_000);

    const output = await cleanUp(deps, { launchId: testLaunchId });
    const meanwhile = await deps.launches.get(testLaunchId);
    deps.unreachable.delete('sandbox');
    await cleanUp(deps, { launchId: testLaunchId });

    expect(output).toEqual({
      code: 'RemovalPending',
      message: `RemovalPending: cluster sandbox is away, and may have objects of launch ${testLaunchId}`,
    });
    expect(meanwhile?.status).toBe('cleaning');
    expect(namesIn(deps.other)).toEqual([]);
    expect(namesIn(deps.cluster)).toEqual([]);
    expect((await deps.launches.get(testLaunchId))?.status).toBe('failed');
  });

  test("by the state machine meanwhile ends the execution with the execution's own error", async () => {
    const moved = await relaunched(await withPod(deps, mayMove), away);
    deps.unreachable.add('sandbox');
    await reportAway(deps.clusterStates, 'sandbox', epochMs);
    deps.clock.advance(20_000);
    const failure = { Error: 'TerminalError', Cause: JSON.stringify({ errorType: 'x', errorMessage: 'PodFailed: y' }) };

    expect(await cleanUp(deps, { ...moved, failure })).toEqual({ code: 'PodFailed', message: 'PodFailed: y' });
    expect((await deps.launches.get(testLaunchId))?.status).toBe('cleaning');
  });

  test('fails while a cluster that is not known to be away does not answer', async () => {
    await moveAndEnd();
    deps.unreachable.add('sandbox');

    await expect(cleanUp(deps, { launchId: testLaunchId })).rejects.toMatchObject({ code: 'ClusterUnreachable' });

    expect(namesIn(deps.other)).toEqual([]);
  });
});
