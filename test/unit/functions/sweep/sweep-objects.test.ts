import { labelsOf } from '../../../../core/launch/names.ts';
import { endingOf, epochMs, planOf } from '../../../contract/launch-fixtures.ts';
import { afterCalls } from '../../../support/around-calls.ts';
import { failTest } from '../../../support/fail-test.ts';
import {
  makeSweepDeps,
  namesLeft,
  putBoth,
  putLaunch,
  putOver,
  putPod,
  putService,
  runSweep,
  type TestSweepDeps,
} from '../../../support/make-sweep-deps.ts';

let deps: TestSweepDeps;
beforeEach(() => {
  deps = makeSweepDeps();
});

describe('in a cluster that davit.yaml no longer has', () => {
  test('nobody looks, and launches that are over are cleaned up without it', async () => {
    const openCluster = async () => failTest('davit.yaml does not say how');
    deps = makeSweepDeps({ clusters: [], profiles: [], openCluster });
    await putLaunch(deps, 'job');
    await deps.launches.end('job', endingOf({ by: 'DELETE /launches', atEpochMs: epochMs }));
    deps.clock.advance(61_000);

    const { complete, findings } = await runSweep(deps);

    expect({ complete, findings }).toMatchObject({ complete: true, findings: [{ reason: 'CleanUpUnfinished' }] });
    expect(deps.invokeLater.events['clean-up']).toEqual([{ launchId: 'job' }]);
  });
});

describe('objects', () => {
  test('of a finished launch are deleted, with their uids', async () => {
    await putOver(deps, 'job');
    const service = putService(deps, { launchId: 'job' });
    const pod = putPod(deps, { launchId: 'job' });

    const report = await runSweep(deps);

    expect(deps.cluster.writes).toEqual([`delete Service davit-job ${service}`, `delete Pod davit-job ${pod}`]);
    expect(report).toEqual({
      dryRun: false,
      complete: true,
      seen: { launches: 0, objects: 2 },
      inFlight: { launching: 0, connected: 0, cleaning: 0, oldestSeconds: 0 },
      findings: ['Service', 'Pod'].map((kind) => ({
        kind,
        cluster: 'sandbox',
        namespace: 'davit-agents',
        name: 'davit-job',
        uid: kind === 'Pod' ? pod : service,
        launchId: 'job',
        reason: 'LaunchOver',
        outcome: 'deleted',
      })),
      found: { LaunchOver: 2 },
      done: { deleted: 2 },
      spared: {},
      left: 0,
      errors: [],
    });
  });

  test('of a launch that has just ended are left to its clean-up, which reads the Pod before it deletes it', async () => {
    await putLaunch(deps, 'job');
    await deps.launches.end('job', endingOf());
    putBoth(deps, { launchId: 'job' });
    deps.clock.advance(604_999);

    expect((await runSweep(deps)).done).toEqual({ asked: 3 });
    expect(new Set(deps.invokeLater.events['clean-up'].map(({ launchId }) => launchId))).toEqual(new Set(['job']));
    expect(namesLeft(deps)).toEqual(['davit-job', 'davit-job']);
  });

  test('of a launch whose clean-up has not removed them for ten minutes are deleted', async () => {
    await putLaunch(deps, 'job');
    await deps.launches.end('job', endingOf());
    putBoth(deps, { launchId: 'job' });
    deps.clock.advance(605_000);

    expect((await runSweep(deps)).findings).toMatchObject([
      { reason: 'CleanUpUnfinished', outcome: 'asked' },
      { reason: 'LaunchCleaning', outcome: 'deleted' },
      { reason: 'LaunchCleaning', outcome: 'deleted' },
    ]);
    expect(namesLeft(deps)).toEqual([]);
  });

  test('of an earlier generation are deleted at once when the launch has ended, too', async () => {
    await putLaunch(deps, 'job', { plan: planOf('job', { agentName: 'davit-job-r2', generation: 2 }) });
    await deps.launches.end('job', endingOf());
    putBoth(deps, { launchId: 'job' });

    expect(await runSweep(deps)).toMatchObject({ found: { LaunchCleaning: 2 }, done: { deleted: 2 } });
  });

  test('of other owners are not even listed', async () => {
    await putOver(deps, 'job');
    const labels = { ...labelsOf(planOf('job')), 'app.kubernetes.io/managed-by': 'not-davit' };
    putBoth(deps, { launchId: 'job', labels, ageSeconds: 1_000_000 });

    const report = await runSweep(deps);

    expect(report.seen.objects).toBe(0);
    expect(namesLeft(deps)).toEqual(['davit-job', 'davit-job']);
  });

  test('of unknown age come after those of a known one', async () => {
    deps = makeSweepDeps({ limits: { findMs: 1000, totalMs: 2000, things: 1, atATime: 1 } });
    for (const launchId of ['an-unaged', 'the-aged']) await putOver(deps, launchId);
    for (const launchId of ['an-unaged', 'the-aged']) putPod(deps, { launchId, ageSeconds: 10 });
    deps.cluster.pods.change('davit-an-unaged', ({ metadata, ...pod }) => {
      const { creationTimestamp: _creationTimestamp, ...unaged } = metadata;
      return { ...pod, metadata: unaged };
    });

    await runSweep(deps);

    expect(namesLeft(deps)).toEqual(['davit-an-unaged']);
  });
});

/** Sweeps, while something happens after its lists and before its deletions. */
async function sweepMeanwhile(happens: () => unknown) {
  afterCalls(deps.executions, 'running', happens);
  const { findings, spared } = await runSweep(deps);
  return { findings, spared };
}

describe('between the list and the delete', () => {
  test('an object that was replaced is not deleted', async () => {
    putPod(deps, { launchId: 'job', ageSeconds: 30_000 });

    const found = await sweepMeanwhile(() => {
      deps.cluster.pods.change('davit-job', (pod) => ({ ...pod, metadata: { ...pod.metadata, uid: 'another' } }));
    });

    expect(found).toEqual({ findings: [], spared: { ChangedMeanwhile: 1 } });
    expect(namesLeft(deps)).toEqual(['davit-job']);
  });

  test('a missing object is not deleted, and one that is being deleted is left alone', async () => {
    deps.cluster.terminationMs = 10_000;
    putPod(deps, { launchId: 'gone', ageSeconds: 30_000 });
    putPod(deps, { launchId: 'going', ageSeconds: 30_000 });

    const found = await sweepMeanwhile(() => {
      deps.cluster.pods.remove('davit-gone');
      deps.cluster.pods.markDeleting('davit-going');
    });

    expect(found).toEqual({ findings: [], spared: { ChangedMeanwhile: 1, BeingDeleted: 1 } });
    expect(deps.cluster.writes).toEqual([]);
  });

  test("an object that lost davit's label is not deleted, and no launch is read for it", async () => {
    putPod(deps, { launchId: 'job', ageSeconds: 30_000 });
    deps.launches.get = async () => failTest('it names no launch');

    const found = await sweepMeanwhile(() => {
      deps.cluster.pods.change('davit-job', (pod) => ({ ...pod, metadata: { ...pod.metadata, labels: {} } }));
    });

    expect(found).toEqual({ findings: [], spared: { NoLaunchId: 1 } });
    expect(namesLeft(deps)).toEqual(['davit-job']);
  });

  test('a launch whose record has appeared keeps its objects', async () => {
    putPod(deps, { launchId: 'job', ageSeconds: 30_000 });

    const found = await sweepMeanwhile(() => putLaunch(deps, 'job'));

    expect(found).toEqual({ findings: [], spared: { ChangedMeanwhile: 1 } });
    expect(namesLeft(deps)).toEqual(['davit-job']);
  });
});
