import type { ClusterReport } from '../../../../core/cluster/cluster-state.ts';
import { TransientError } from '../../../../core/errors/errors.ts';
import type { SweepReport } from '../../../../functions/sweep/sweep-report.ts';
import { agentOf, endingOf, epochMs, planOf, recordOf } from '../../../contract/launch-fixtures.ts';
import { afterCalls, beforeCalls } from '../../../support/around-calls.ts';
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
import { testProfile } from '../../../support/make-test-deps.ts';
import { MemoryLaunches } from '../../../support/memory-launches.ts';

let deps: TestSweepDeps;
beforeEach(() => {
  deps = makeSweepDeps();
});

describe('a launch with an unreadable record', () => {
  const sevenHoursMs = 25_200_000;
  let launches: MemoryLaunches;

  beforeEach(() => {
    launches = new MemoryLaunches();
    deps = makeSweepDeps({ launches });
  });

  test('is reported once, and left alone with its objects, and all others are swept', async () => {
    await putLaunch(deps, 'damaged');
    await putOver(deps, 'over');
    for (const launchId of ['damaged', 'over']) putBoth(deps, { launchId, ageSeconds: 86_400 });
    await putLaunch(deps, 'unstarted');
    deps.executions.finish('unstarted', { status: 'ABORTED' });
    launches.damage('damaged');
    deps.clock.advance(sevenHoursMs);

    const report = await runSweep(deps);

    expect(report).toMatchObject({ complete: false, left: 0, done: { deleted: 2, ended: 1 }, seen: { launches: 1 } });
    expect(report.errors).toEqual([{ subject: 'launch damaged', message: 'its record cannot be read: damaged' }]);
    expect(namesLeft(deps)).toEqual(['davit-damaged', 'davit-damaged']);
  });

  test('is reported when only its objects show that it exists', async () => {
    await putOver(deps, 'damaged');
    putBoth(deps, { launchId: 'damaged', ageSeconds: 86_400 });
    launches.damage('damaged');

    const { complete, errors } = await runSweep(deps);

    expect(complete).toBe(false);
    expect(errors).toEqual([{ subject: 'launch damaged', message: 'its record cannot be read: damaged' }]);
    expect(namesLeft(deps)).toHaveLength(2);
  });

  test('keeps its objects even when its record was still readable, and over, as they were listed', async () => {
    afterCalls(launches, 'getMany', () => launches.damage('job'));
    await putOver(deps, 'job');
    putService(deps, { launchId: 'job' });

    const report = await runSweep(deps);

    expect(report).toMatchObject({ complete: false, done: { failed: 1 } });
    expect(report.errors).toContainEqual({
      subject: 'Service davit-job in cluster sandbox, namespace davit-agents',
      message: 'the record of job cannot be read: damaged',
    });
    expect(namesLeft(deps)).toEqual(['davit-job']);
  });
});

describe('a cluster that does not answer', () => {
  const unreachable = new TransientError('ClusterUnreachable', 'connect ECONNREFUSED', { cluster: 'away' });

  function withTwoClusters(): TestSweepDeps {
    const clusters = ['away', 'sandbox'];
    const { cluster } = deps;
    const openCluster = async (name: string) => (name === 'away' ? Promise.reject(unreachable) : cluster);
    return { ...deps, clusters, profiles: [{ ...testProfile, clusters }], openCluster };
  }

  test('is reported, and does not keep another from being swept', async () => {
    deps = withTwoClusters();
    await putOver(deps, 'job');
    putBoth(deps, { launchId: 'job' });

    const report = await runSweep(deps);

    expect(report).toMatchObject({ complete: false, done: { deleted: 2 }, left: 0 });
    expect(report.errors).toEqual([
      {
        subject: 'cluster away, namespace davit-agents',
        message: 'ClusterUnreachable: connect ECONNREFUSED (cluster away)',
      },
    ]);
  });

  test('gets no requests for clean-ups that would fail, and all of them once it is back', async () => {
    deps = withTwoClusters();
    await putLaunch(deps, 'job', { plan: planOf('job', { cluster: 'away' }) });
    await deps.launches.end('job', endingOf({ by: 'DELETE /launches', atEpochMs: epochMs }));
    deps.clock.advance(3_600_000);
    await runSweep(deps);
    const asked = [...deps.invokeLater.events['clean-up']];

    await runSweep({ ...deps, openCluster: async () => deps.cluster });

    expect(asked).toEqual([]);
    expect(deps.invokeLater.events['clean-up']).toEqual([{ launchId: 'job' }]);
  });

  test('does not stop the ending of an agent that has lived too long', async () => {
    deps = withTwoClusters();
    await putLaunch(deps, 'job', { plan: planOf('job', { cluster: 'away', maxAgentLifetimeSeconds: 60 }) });
    await deps.launches.markConnected(agentOf('job'), epochMs);
    deps.clock.advance(60_000);

    const { found, done } = await runSweep(deps);

    expect({ found, done }).toEqual({ found: { AgentLifetimeExceeded: 1 }, done: { ended: 1 } });
  });
});

test('a namespace that the config no longer names is swept as long as a launch is there', async () => {
  deps.profiles = [];
  await putLaunch(deps, 'job', { plan: planOf('job', { agentName: 'davit-job-r2', generation: 2 }) });
  putBoth(deps, { launchId: 'job' });

  expect((await runSweep(deps)).done).toEqual({ deleted: 2 });
});

test("a cluster that a profile names is swept in the profile's namespace alone", async () => {
  putBoth(deps, { launchId: 'late', ageSeconds: 30_000 });
  await deps.clusterStates.report(worksIn('earlier-agents'));

  expect(await runSweep(deps)).toMatchObject({ seen: { objects: 2 }, found: { LaunchUnknown: 2 } });
});

/** A report that launches work in a namespace. */
function worksIn(namespace: string): ClusterReport {
  const works = { kind: 'works', endedAtEpochMs: epochMs } as const;
  return { cluster: 'sandbox', ...works, namespaces: [{ namespace, ...works }] };
}

describe('a cluster that is being drained', () => {
  beforeEach(() => {
    deps.profiles = [];
    putBoth(deps, { launchId: 'late', ageSeconds: 30_000 });
  });

  test('is swept in the namespaces in which launches were', async () => {
    await deps.clusterStates.report(worksIn('davit-agents'));

    const report = await runSweep(deps);

    expect(report).toMatchObject({ complete: true, found: { LaunchUnknown: 2 }, done: { deleted: 2 } });
  });

  test('is not swept while nothing is known of its namespaces', async () => {
    expect(await runSweep(deps)).toMatchObject({ complete: true, found: {}, errors: [] });
  });

  test('is reported when its record cannot be read', async () => {
    deps.clusterStates.get = async () => {
      throw new TransientError('StoreUnavailable', 'DynamoDB GetItem: throttled');
    };

    expect(await runSweep(deps)).toMatchObject({
      complete: false,
      errors: [{ subject: 'the records of the clusters', message: 'StoreUnavailable: DynamoDB GetItem: throttled' }],
    });
  });
});

test('an object that cannot be deleted is reported, and does not stop the deletion of others', async () => {
  for (const launchId of ['held', 'free']) putPod(deps, { launchId, ageSeconds: 30_000 });
  beforeCalls(deps.cluster.pods, 'delete', (_namespace, name) => {
    if (name === 'davit-held') throw new TransientError('ClusterFault', 'etcd: leader changed');
  });

  const report = await runSweep(deps);

  expect(report).toMatchObject({ complete: false, done: { failed: 1, deleted: 1 } });
  expect(report.errors).toEqual([
    {
      subject: 'Pod davit-held in cluster sandbox, namespace davit-agents',
      message: 'ClusterFault: etcd: leader changed',
    },
  ]);
  expect(namesLeft(deps)).toEqual(['davit-held']);
});

describe('the limits of a sweep', () => {
  test('let it handle a number of findings, the oldest first, and report the rest as left', async () => {
    deps = makeSweepDeps({ limits: { findMs: 1000, totalMs: 2000, things: 3, atATime: 2 } });
    for (let age = 0; age < 5; age += 1) putPod(deps, { launchId: `job-${age}`, ageSeconds: 30_000 + age });

    const report = await runSweep(deps);

    expect(report).toMatchObject({ complete: false, done: { deleted: 3 }, left: 2 });
    expect(namesLeft(deps)).toEqual(['davit-job-0', 'davit-job-1']);
    expect(await runSweep(deps)).toMatchObject({ complete: true, done: { deleted: 2 }, left: 0 });
  });

  test('cut a slow list short: it handles the findings so far, and takes no agent for gone', async () => {
    deps = makeSweepDeps({ limits: { findMs: 1000, totalMs: 5000, things: 500, atATime: 1 } });
    await putLaunch(deps, 'job', { plan: planOf('job', { removeExitedAfterSeconds: 0 }) });
    await deps.launches.markConnected(agentOf('job'), epochMs);
    for (let index = 0; index < 5; index += 1) putPod(deps, { launchId: `job-${index}`, ageSeconds: 30_000 });
    deps.cluster.pods.pageSize = 1;
    beforeCalls(deps.cluster.pods, 'list', () => deps.clock.advance(600));

    const report = await runSweep(deps);

    expect(report).toMatchObject({ complete: false, left: 0, errors: [] });
    expect(report.done).toEqual({ deleted: 2 });
    expect(report.spared).toEqual({});
    expect((await deps.launches.get('job'))?.signal).toBeUndefined();
  });
});

function withoutOutcomes({ findings }: SweepReport): unknown[] {
  return findings.map(({ outcome: _outcome, ...finding }) => finding);
}

async function putEverything(): Promise<void> {
  await putOver(deps, 'over');
  putBoth(deps, { launchId: 'over' });
  putBoth(deps, { launchId: 'unknown', ageSeconds: 30_000 });
  putBoth(deps, { launchId: 'young' });
  await deps.launches.request(recordOf('never-started'));
  await putLaunch(deps, 'execution-over');
  deps.executions.finish('execution-over', { status: 'ABORTED' });
  await putLaunch(deps, 'cleaning');
  await deps.launches.end('cleaning', endingOf({ by: 'DELETE /launches', atEpochMs: epochMs }));
  await putLaunch(deps, 'exited', { plan: planOf('exited', { removeExitedAfterSeconds: 3600 }) });
  await deps.launches.markConnected(agentOf('exited'), epochMs);
  deps.clock.advance(60_000);
}

describe('a dry run', () => {
  test('shows what a sweep finds next, and changes nothing', async () => {
    await putEverything();
    const state = async () => ({
      writes: [...deps.cluster.writes],
      launches: await deps.launches.list(all),
      started: [...deps.executions.started.keys()],
      stopped: [...deps.executions.stopped],
      cleanUps: [...deps.invokeLater.events['clean-up']],
    });
    const before = await state();

    const dry = await runSweep(deps, { dryRun: true });
    const after = await state();
    const real = await runSweep(deps);

    expect(after).toEqual(before);
    expect(deps.executions.stopped.length + deps.invokeLater.events['clean-up'].length).toBeGreaterThan(0);
    expect(dry.findings.length).toBeGreaterThan(5);
    expect(new Set(dry.findings.map(({ outcome }) => outcome))).toEqual(new Set(['found']));
    expect({ ...real, dryRun: true, done: dry.done, findings: withoutOutcomes(real) }).toEqual({
      ...dry,
      findings: withoutOutcomes(dry),
    });
  });

  const all = { statuses: ['launching', 'connected', 'cleaning', 'failed', 'terminated'], limit: 100 } as const;
});

test('two sweeps at the same time do nothing twice', async () => {
  await putOver(deps, 'over');
  for (let index = 0; index < 30; index += 1) putBoth(deps, { launchId: `job-${index}`, ageSeconds: 30_000 });
  await deps.launches.request(recordOf('never-started'));
  await putLaunch(deps, 'cleaning');
  await deps.launches.end('cleaning', endingOf({ by: 'DELETE /launches', atEpochMs: epochMs }));
  deps.clock.advance(60_000);

  const reports = await Promise.all([runSweep(deps), runSweep(deps)]);

  expect(reports.map(({ errors }) => errors)).toEqual([[], []]);
  expect(deps.cluster.writes).toHaveLength(new Set(deps.cluster.writes).size);
  expect(namesLeft(deps)).toEqual([]);
  expect(deps.invokeLater.events['clean-up']).toEqual([{ launchId: 'cleaning' }]);
  expect(deps.executions.started.size).toBe(3);
});

test('the report counts the launches that are not over, and the age of the oldest', async () => {
  const since = (seconds: number) => deps.nowEpochMs() - seconds * 1000;
  await putLaunch(deps, 'asked', { requestedAtEpochMs: since(40) });
  await putLaunch(deps, 'working', { status: 'connected', requestedAtEpochMs: since(90_000) });
  await putLaunch(deps, 'cleaning', {
    status: 'cleaning',
    requestedAtEpochMs: since(90_000),
    ending: endingOf({ atEpochMs: since(50) }),
  });
  await putOver(deps, 'over');

  const { inFlight } = await runSweep(deps, { dryRun: true });

  expect(inFlight).toEqual({ launching: 1, connected: 1, cleaning: 1, oldestSeconds: 50 });
});

test('launches that could not be listed are not counted as none', async () => {
  deps.launches.list = async () => {
    throw new TransientError('StoreUnavailable', 'DynamoDB Query: throttled');
  };

  const report = await runSweep(deps);

  expect(report).not.toHaveProperty('inFlight');
  expect(report.complete).toBe(false);
  expect(report.errors).toMatchObject([{ subject: 'the launches' }]);
});
