import { TerminalError, TransientError } from '../../../../core/errors/errors.ts';
import { agentOf, endingOf, epochMs, planOf, recordOf } from '../../../contract/launch-fixtures.ts';
import { beforeCalls } from '../../../support/around-calls.ts';
import { makeSweepDeps, putLaunch, putPod, runSweep, type TestSweepDeps } from '../../../support/make-sweep-deps.ts';
import { testProfile } from '../../../support/make-test-deps.ts';
import { MemoryCluster } from '../../../support/memory-cluster.ts';

let deps: TestSweepDeps;
beforeEach(() => {
  deps = makeSweepDeps();
});

describe('the launches that are not over', () => {
  test('end where the table gives no further page', async () => {
    deps.launches.list = async () => undefined;

    expect(await runSweep(deps)).toMatchObject({ complete: true, seen: { launches: 0 }, errors: [] });
  });

  test.each([
    {
      what: 'are counted',
      pageMs: 0,
      complete: true,
      launches: 3,
      inFlight: expect.objectContaining({ launching: 3 }),
    },
    {
      what: 'are not counted without the time for all',
      pageMs: 600,
      complete: false,
      launches: 2,
      inFlight: undefined,
    },
  ])('are listed page by page, and $what', async ({ pageMs, complete, launches, inFlight }) => {
    deps.limits = { findMs: 1000, totalMs: 5000, things: 500, atATime: 1 };
    for (const launchId of ['one', 'two', 'three']) await putLaunch(deps, launchId);
    const list = deps.launches.list.bind(deps.launches);
    deps.launches.list = async (query) => {
      deps.clock.advance(pageMs);
      return list({ ...query, limit: 1 });
    };

    const report = await runSweep(deps);

    expect(report).toMatchObject({ complete, seen: { launches } });
    expect(report.inFlight).toEqual(inFlight);
  });

  test('do not include those that the index does not yet know to be over', async () => {
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
  /** Makes a cluster of which davit may not read the namespace `locked`. */
  function lockNamespace(): void {
    beforeCalls(deps.cluster.pods, 'list', (namespace) => {
      if (namespace === 'locked') throw new TerminalError('ClusterForbidden', 'pods is forbidden');
    });
  }

  test("only a launch's own one tells whether its agent has exited", async () => {
    lockNamespace();
    const plan = planOf('job', { namespace: 'locked', removeExitedAfterSeconds: 0 });
    await putLaunch(deps, 'job', { plan });
    await deps.launches.markConnected(agentOf('job'), epochMs);

    const { findings, spared } = await runSweep(deps);

    expect({ findings, spared }).toEqual({ findings: [], spared: {} });
  });

  test("only a launch's own cluster does, even if another one has the same namespace", async () => {
    const clusters = ['other', 'sandbox'];
    const other = new MemoryCluster(deps.clock);
    const openCluster = async (name: string) => (name === 'other' ? other : deps.cluster);
    Object.assign(deps, { clusters, profiles: [{ ...testProfile, clusters }], openCluster });
    await putLaunch(deps, 'job', { plan: planOf('job', { removeExitedAfterSeconds: 0 }) });
    await deps.launches.markConnected(agentOf('job'), epochMs);
    putPod(deps, { launchId: 'job' });

    const { findings, spared } = await runSweep(deps);

    expect({ findings, spared }).toEqual({ findings: [], spared: {} });
  });

  test("only a launch's own ones get a request for its clean-up", async () => {
    lockNamespace();
    await putLaunch(deps, 'job', { plan: planOf('job', { namespace: 'locked' }) });
    await deps.launches.end('job', endingOf({ by: 'DELETE /launches', atEpochMs: epochMs }));
    deps.clock.advance(3_600_000);

    expect((await runSweep(deps)).findings).toEqual([]);
  });
});
