import { ClusterAwayError, PendingError, TransientError } from '../../../../core/errors/errors.ts';
import type { LaunchPlan } from '../../../../core/launch/launch-state.ts';
import { onCluster, onClusterWithinDeadline } from '../../../../logic/steps/on-cluster.ts';
import { epochMs } from '../../../contract/launch-fixtures.ts';
import { makeTestDeps, requestLaunch, type TestDeps, testLaunchId } from '../../../support/make-test-deps.ts';
import { reportAway, reportNamespaceAway } from '../../../support/two-clusters.ts';

const frozen = new TransientError('ClusterUnreachable', 'get pods: no answer in time', {}, { reason: 'TimedOut' });
const fail = (failure: Error) => async () => Promise.reject(failure);

let deps: TestDeps;
let plan: LaunchPlan;
beforeEach(async () => {
  deps = makeTestDeps();
  plan = await requestLaunch(deps, { waitsForCluster: true });
});

const signal = async () => (await deps.launches.get(testLaunchId))?.signal;

describe('a launch whose namespace is away', () => {
  const down = new TransientError('AdmissionUnavailable', 'create pods: failed calling webhook');

  test('waits as for a cluster, and says which namespace is away, why and since when', async () => {
    await reportNamespaceAway(deps.clusterStates, plan.cluster, plan.namespace, epochMs);

    const attempt = onCluster(deps, plan, fail(down));

    await expect(attempt).rejects.toMatchObject({ name: 'ClusterAwayError', code: 'AdmissionUnavailable' });
    expect(await signal()).toEqual({
      code: 'AdmissionUnavailable',
      detail:
        `namespace ${plan.namespace} of cluster sandbox is away (AdmissionUnavailable since 2026-01-01T00:00:00.000Z ` +
        'after 3 attempts; next attempt within a minute): create pods: failed calling webhook',
      sinceEpochMs: epochMs,
    });
  });

  test('is repeated as any other while nothing is known to be away, or another namespace is', async () => {
    await expect(onCluster(deps, plan, fail(down))).rejects.toBe(down);
    await reportNamespaceAway(deps.clusterStates, plan.cluster, 'other', epochMs);

    await expect(onCluster(deps, plan, fail(down))).rejects.toBe(down);
    expect(await signal()).toBeUndefined();
  });
});

describe('a launch whose cluster is away', () => {
  test('reports which cluster, why, since when, after how many attempts, and when the next one is', async () => {
    await reportAway(deps.clusterStates, plan.cluster, epochMs);

    const attempt = onCluster(deps, plan, fail(frozen));

    await expect(attempt).rejects.toThrow(ClusterAwayError);
    expect(await signal()).toEqual({
      code: 'ClusterUnreachable',
      detail:
        'cluster sandbox is away (Unreachable since 2026-01-01T00:00:00.000Z after 3 attempts; ' +
        'next attempt within a minute): get pods: no answer in time',
      sinceEpochMs: epochMs,
    });
  });

  test('reports the reason at its first failure, before the clusters table has it', async () => {
    await expect(onCluster(deps, plan, fail(frozen))).rejects.toMatchObject({ reason: 'TimedOut' });

    expect((await signal())?.detail).toBe('cluster sandbox is away (TimedOut): get pods: no answer in time');
  });

  test('reports no reason that it does not know', async () => {
    const failure = new TransientError('ClusterUnreachable', 'get pods: no answer in time');

    const error = await onCluster(deps, plan, fail(failure)).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ name: 'ClusterAwayError', cause: failure, reason: undefined });
    expect((await signal())?.detail).toBe('cluster sandbox is away (Unreachable): get pods: no answer in time');
  });

  test.each([
    { clusters: ['other'], next: '; the launch moves to another cluster after 60 s' },
    { clusters: [], next: '' },
  ])('reports when it moves, with $clusters left to move to', async ({ clusters, next }) => {
    const failover = { clusters, moves: 0, failoverSeconds: 60, spillSeconds: 300 };

    await onCluster(deps, { ...plan, failover }, fail(frozen)).catch(() => undefined);

    expect((await signal())?.detail).toBe(`cluster sandbox is away (TimedOut): get pods: no answer in time${next}`);
  });

  test('counts the wait from its own first failure', async () => {
    await onCluster(deps, plan, fail(frozen)).catch(() => undefined);
    deps.clock.advance(60_000);
    await onCluster(deps, plan, fail(frozen)).catch(() => undefined);

    expect((await signal())?.sinceEpochMs).toBe(epochMs);
  });

  test('fails at its deadline, with the same words', async () => {
    const code = 'PlacementDeadlineExceeded';
    const deadline = { step: 'PollHostIP', sinceEpochMs: epochMs, seconds: 60, code } as const;
    deps.clock.advance(60_000);

    await expect(onClusterWithinDeadline(deps, plan, deadline, fail(frozen))).rejects.toMatchObject({
      name: 'TerminalError',
      code: 'PlacementDeadlineExceeded',
      detail: expect.stringContaining('cluster sandbox is away (TimedOut)'),
    });
  });

  test('is repeated as before by a state machine without ClusterAwayError', async () => {
    const { waitsForCluster: _waits, ...ofEarlierVersion } = plan;

    await expect(onCluster(deps, ofEarlierVersion, fail(frozen))).rejects.toMatchObject({ name: 'TransientError' });
  });

  test('keeps the start of an earlier wait for room', async () => {
    const full = { code: 'QuotaExceeded', detail: 'full', sinceEpochMs: epochMs };
    await deps.launches.noteSignal(testLaunchId, full);

    await onCluster(deps, plan, fail(frozen)).catch(() => undefined);

    expect(await signal()).toEqual(full);
  });
});

test.each([
  { error: new TransientError('ClusterThrottled', 'slow down') },
  { error: new TransientError('StoreUnavailable', 'throttled') },
  { error: new PendingError('PlacementPending', 'not yet') },
  { error: new TypeError('a defect') },
])('$error.message passes unchanged, and leaves no signal about the cluster', async ({ error }) => {
  await expect(onCluster(deps, plan, fail(error))).rejects.toBe(error);

  expect(await signal()).toBeUndefined();
});
