import { TerminalError, TransientError } from '../../../../core/errors/errors.ts';
import { agentOf, endingOf, epochMs, planOf, recordOf } from '../../../contract/launch-fixtures.ts';
import { makeSweepDeps, putLaunch, putPod, runSweep, type TestSweepDeps } from '../../../support/make-sweep-deps.ts';
import { testProfile } from '../../../support/make-test-deps.ts';
import { MemoryCluster } from '../../../support/memory-cluster.ts';
import { portWith } from '../../../support/port-with.ts';

/** Three launches, of which the table lists one a page. */
async function withPages(onPage: (deps: TestSweepDeps) => void = () => undefined): Promise<TestSweepDeps> {
  const deps = makeSweepDeps({ limits: { findMs: 1000, totalMs: 5000, things: 500, atATime: 1 } });
  for (const launchId of ['one', 'two', 'three']) await putLaunch(deps, launchId);
  const list = deps.launches.list.bind(deps.launches);
  deps.launches.list = async (query) => {
    onPage(deps);
    return list({ ...query, limit: 1 });
  };
  return deps;
}

describe('the launches that are not over', () => {
  test('are listed page by page', async () => {
    const report = await runSweep(await withPages());

    expect(report).toMatchObject({ complete: true, seen: { launches: 3 }, inFlight: { launching: 3 } });
  });

  test('end where the table gives no further page', async () => {
    const deps = makeSweepDeps();
    deps.launches.list = async () => undefined;

    expect(await runSweep(deps)).toMatchObject({ complete: true, seen: { launches: 0 }, errors: [] });
  });

  test('are not counted when there is no time to list them all', async () => {
    const report = await runSweep(await withPages(({ clock }) => clock.advance(600)));

    expect(report).toMatchObject({ complete: false, seen: { launches: 2 } });
    expect(report).not.toHaveProperty('inFlight');
  });

  test('have the age of the one that has been launching for longest', async () => {
    const deps = makeSweepDeps();
    await putLaunch(deps, 'older', { requestedAtEpochMs: epochMs - 40_000 });
    await putLaunch(deps, 'younger', { requestedAtEpochMs: epochMs - 20_000 });

    expect((await runSweep(deps)).inFlight).toMatchObject({ launching: 2, oldestSeconds: 40 });
  });

  test('do not include those that the index does not yet know to be over', async () => {
    const deps = makeSweepDeps();
    const over = endingOf({ atEpochMs: epochMs - 60_000 });
    deps.launches.list = async () => ({
      launches: (['failed', 'terminated'] as const).map((status) => recordOf(status, { status, ending: over })),
      unreadable: [],
    });

    const { inFlight } = await runSweep(deps);

    expect(inFlight).toEqual({ launching: 0, connected: 0, cleaning: 0, oldestSeconds: 0 });
  });
});

test('objects are swept even if the executions cannot be listed, and the report says so', async () => {
  const deps = makeSweepDeps();
  putPod(deps, { launchId: 'job', ageSeconds: 30_000 });
  deps.executions.running = async () => {
    throw new TransientError('StoreUnavailable', 'ListExecutions: throttled');
  };

  expect(await runSweep(deps)).toMatchObject({
    complete: false,
    done: { deleted: 1 },
    errors: [{ subject: 'the executions', message: 'StoreUnavailable: ListExecutions: throttled' }],
  });
});

describe('of several places', () => {
  /** A cluster of which davit may not read the namespace `locked`. */
  function withLockedNamespace(deps: TestSweepDeps): TestSweepDeps {
    const { services, nodes, reports } = deps.cluster;
    const pods = portWith(deps.cluster.pods, {
      list: async (namespace, labels, cursor) => {
        if (namespace === 'locked') throw new TerminalError('ClusterForbidden', 'pods is forbidden');
        return deps.cluster.pods.list(namespace, labels, cursor);
      },
    });
    return { ...deps, openCluster: async () => ({ services, pods, nodes, reports }) };
  }

  test("only a launch's own one tells whether its agent has exited", async () => {
    const deps = withLockedNamespace(makeSweepDeps());
    const plan = planOf('job', { namespace: 'locked', removeExitedAfterSeconds: 0 });
    await putLaunch(deps, 'job', { plan });
    await deps.launches.markConnected(agentOf('job'), epochMs);

    const { findings, spared } = await runSweep(deps);

    expect({ findings, spared }).toEqual({ findings: [], spared: {} });
  });

  test("only a launch's own cluster does, even if another one has the same namespace", async () => {
    const clusters = ['other', 'sandbox'];
    const made = makeSweepDeps({ clusters, profiles: [{ ...testProfile, clusters }] });
    const other = new MemoryCluster(made.clock);
    const deps = { ...made, openCluster: async (name: string) => (name === 'other' ? other : made.cluster) };
    await putLaunch(deps, 'job', { plan: planOf('job', { removeExitedAfterSeconds: 0 }) });
    await deps.launches.markConnected(agentOf('job'), epochMs);
    putPod(deps, { launchId: 'job' });

    const { findings, spared } = await runSweep(deps);

    expect({ findings, spared }).toEqual({ findings: [], spared: {} });
  });

  test("only a launch's own ones get a request for its clean-up", async () => {
    const deps = withLockedNamespace(makeSweepDeps());
    await putLaunch(deps, 'job', { plan: planOf('job', { namespace: 'locked' }) });
    await deps.launches.end('job', endingOf({ by: 'DELETE /launches', atEpochMs: epochMs }));
    deps.clock.advance(3_600_000);

    expect((await runSweep(deps)).findings).toEqual([]);
  });
});
