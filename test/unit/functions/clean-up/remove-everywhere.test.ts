import { setImmediate } from 'node:timers/promises';
import { TerminalError, TransientError } from '../../../../core/errors/errors.ts';
import { CleanUpInput, cleanUp } from '../../../../functions/clean-up/clean-up.ts';
import { endingOf, epochMs, planOf } from '../../../contract/launch-fixtures.ts';
import { testAgentName, testLaunchId } from '../../../support/make-test-deps.ts';
import { running } from '../../../support/pod-view.ts';
import { withCluster } from '../../../support/port-with.ts';
import { withPod } from '../../../support/run-steps.ts';
import { makeTwoClusters, reportAway, type TwoClusters } from '../../../support/two-clusters.ts';

const byId = CleanUpInput.parse({ launchId: testLaunchId });

/** A failed launch with a Pod in the cluster `sandbox` that was in another cluster before. */
async function movedFrom(cluster: string): Promise<TwoClusters> {
  const deps = makeTwoClusters();
  await withPod(deps);
  const plan = planOf(testLaunchId, { generation: 2 });
  const ended = { agentName: testAgentName, cluster, code: 'ClusterAway', message: '', endedAtEpochMs: epochMs };
  await deps.launches.relaunch(plan, ended);
  await deps.launches.end(testLaunchId, endingOf());
  return deps;
}

async function knownAway(): Promise<TwoClusters> {
  const deps = makeTwoClusters();
  await withPod(deps);
  await deps.launches.end(testLaunchId, endingOf());
  await reportAway(deps.clusterStates, 'sandbox', epochMs);
  deps.clock.advance(10_000);
  return deps;
}

describe('a cluster that is known to be away', () => {
  test.each([
    { name: 'TypeError', trouble: new TypeError('x is undefined') },
    { name: 'TransientError', trouble: new TransientError('ClusterThrottled', 'too many requests') },
    { name: 'TerminalError', trouble: new TerminalError('ClusterForbidden', 'pods is forbidden') },
  ])('does not hide a $name: $trouble.message', async ({ trouble }) => {
    const deps = withCluster(await knownAway(), {
      list: async () => {
        throw trouble;
      },
    });

    await expect(cleanUp(deps, byId)).rejects.toBe(trouble);
    expect(await deps.launches.get(testLaunchId)).toMatchObject({ status: 'cleaning' });
  });
});

test('a launch stays `cleaning` while one of its clusters is away, even if davit.yaml has lost another one', async () => {
  const deps = await movedFrom('old');
  await reportAway(deps.clusterStates, 'sandbox', epochMs);
  deps.clock.advance(10_000);
  deps.openCluster = async (cluster) => {
    throw cluster === 'old'
      ? new TerminalError('ProfileUnknown', `no cluster ${cluster}`, { cluster })
      : new TransientError('ClusterUnreachable', 'no route to host', { cluster });
  };

  expect(await cleanUp(deps, byId)).toMatchObject({ code: 'RemovalPending' });
  expect(await deps.launches.get(testLaunchId)).toMatchObject({ status: 'cleaning' });
});

test('only the present cluster of a launch tells its diagnostics and its times', async () => {
  const deps = await movedFrom('other');
  const { openCluster } = deps;
  deps.openCluster = async (name) => {
    if (name === 'other') await setImmediate();
    return openCluster(name);
  };
  deps.cluster.terminationMs = 1000;
  deps.cluster.report(testAgentName, { phase: 'Running', containerStatuses: [running('agent')] });
  deps.cluster.reports.addEvent(testAgentName, { reason: 'Killing', message: 'here' });
  deps.other.reports.addEvent(testAgentName, { reason: 'Killing', message: 'there' });

  await cleanUp(deps, byId);

  const { diagnostics, timeline } = (await deps.launches.get(testLaunchId)) ?? {};
  expect(diagnostics?.events).toMatchObject([{ message: 'here' }]);
  expect(timeline).toEqual({ containersMs: 3000 });
});
