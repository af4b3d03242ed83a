import { PendingError, TerminalError, TransientError } from '../../../../core/errors/errors.ts';
import { moveForRoomOr, moveOr } from '../../../../logic/steps/move-elsewhere.ts';
import { epochMs, planOf, signalOf } from '../../../contract/launch-fixtures.ts';
import { testLaunchId } from '../../../support/make-test-deps.ts';
import { makeTwoClusters, mayMove, reportAway, reportNamespaceAway } from '../../../support/two-clusters.ts';

const plan = planOf(testLaunchId, mayMove);
const frozen = new TransientError('ClusterUnreachable', 'get pods: no answer in time', { cluster: 'sandbox' });
const used = planOf(testLaunchId, { failover: { clusters: [], moves: 1, failoverSeconds: 60, spillSeconds: 300 } });
const single = planOf(testLaunchId);
const subject = { cluster: 'sandbox' };
const pending = new PendingError('PlacementPending', 'the Pod has no address', subject);

/** Two clusters. The launch's own has been away for a while. */
async function awayFor(seconds: number) {
  const deps = makeTwoClusters();
  await reportAway(deps.clusterStates, 'sandbox', epochMs);
  deps.clock.advance(seconds * 1000);
  return deps;
}

describe('a launch in whose namespace creates fail', () => {
  const down = new TransientError('AdmissionUnavailable', 'create pods: failed calling webhook', subject);

  test('moves once the namespace is recorded as away for failoverSeconds, although the cluster answers', async () => {
    const deps = makeTwoClusters();
    await reportNamespaceAway(deps.clusterStates, 'sandbox', plan.namespace, epochMs);
    deps.clock.advance(59_000);
    const before = await moveOr(deps, plan, down);
    deps.clock.advance(1000);

    expect(before).toBe(down);
    expect(await moveOr(deps, plan, down)).toMatchObject({
      code: 'ClusterAway',
      detail: `namespace ${plan.namespace} of cluster sandbox has been away for 60 s: create pods: failed calling webhook`,
    });
  });

  test('waits on if the namespace is away in the other cluster, too, or if only another namespace is away', async () => {
    const deps = makeTwoClusters();
    await reportNamespaceAway(deps.clusterStates, 'sandbox', 'another', epochMs);
    deps.clock.advance(60_000);
    const ofAnother = await moveOr(deps, plan, down);
    for (const cluster of ['sandbox', 'other']) {
      await reportNamespaceAway(deps.clusterStates, cluster, plan.namespace, epochMs + 60_000);
    }
    deps.clock.advance(70_000);

    expect([ofAnother, await moveOr(deps, plan, down)]).toEqual([down, down]);
  });
});

describe('a launch whose cluster does not answer', () => {
  test('moves once its cluster is recorded as away for failoverSeconds', async () => {
    const deps = await awayFor(60);

    expect(await moveOr(deps, plan, frozen)).toMatchObject({
      name: 'RelaunchError',
      code: 'ClusterAway',
      detail: 'cluster sandbox has been away for 60 s: get pods: no answer in time',
      subject: { cluster: 'sandbox' },
      cause: frozen,
    });
  });

  test.each(['ClusterThrottled', 'ClusterFault', 'AdmissionUnavailable'] as const)(
    'moves by an answer that shows the same: %s',
    async (code) => {
      const deps = await awayFor(60);

      expect(await moveOr(deps, plan, new TransientError(code, 'no'))).toMatchObject({ code: 'ClusterAway' });
    },
  );

  type Clusters = Awaited<ReturnType<typeof awayFor>>;
  const works = ({ clusterStates }: Clusters, endedAtEpochMs: number) =>
    clusterStates.report({ cluster: 'sandbox', kind: 'works', endedAtEpochMs });

  test.each<[when: string, isAwayFor: number | undefined, happens: (deps: Clusters) => unknown]>([
    ['until then', 59, () => undefined],
    ['while its cluster is not recorded as away, however long its own calls fail', undefined, () => undefined],
    ['if its cluster answers others, and is recorded as connected again', 60, (deps) => works(deps, epochMs + 60_000)],
    ['if its cluster has worked for long, and one call fails', undefined, (deps) => works(deps, epochMs)],
    ['if the other cluster is away, too', 60, (deps) => reportAway(deps.clusterStates, 'other', epochMs + 1000)],
  ])('stays %s', async (_when, isAwayFor, happens) => {
    const deps = isAwayFor === undefined ? makeTwoClusters() : await awayFor(isAwayFor);
    await happens(deps);
    if (isAwayFor === undefined) deps.clock.advance(120_000);

    expect(await moveOr(deps, plan, frozen)).toBe(frozen);
  });

  test.each([
    { error: new TransientError('StoreUnavailable', 'throttled') },
    { error: new PendingError('PlacementPending', 'not yet') },
    { error: new TerminalError('ImagePullFailed', 'no such image') },
    { error: new TypeError('a defect') },
  ])('stays for an error that is not about its cluster: $error.message', async ({ error }) => {
    const deps = await awayFor(60);

    expect(await moveOr(deps, plan, error)).toBe(error);
  });
});

describe('a launch that its cluster refuses', () => {
  test.each([
    'ClusterForbidden',
    'ClusterUnauthorized',
    'AdmissionDenied',
    'NamespaceMissing',
    'KubeconfigInvalid',
    'EksClusterMissing',
    'EksAccessDenied',
  ] as const)('moves at once: %s', async (code) => {
    const deps = makeTwoClusters();
    const refusal = new TerminalError(code, 'no', subject);

    expect(await moveOr(deps, plan, refusal)).toMatchObject({
      code: 'ClusterRefused',
      detail: `cluster sandbox refuses the launch: ${code}: no`,
      subject,
      cause: refusal,
    });
  });

  test('moves even to a cluster that is away, and waits there', async () => {
    const deps = makeTwoClusters();
    await reportAway(deps.clusterStates, 'other', epochMs);

    expect(await moveOr(deps, plan, new TerminalError('AdmissionDenied', 'no'))).toMatchObject({
      code: 'ClusterRefused',
    });
  });
});

describe('a launch whose cluster has no room', () => {
  test.each(['QuotaExceeded', 'NodePortRangeFull', 'Unschedulable'])('moves after spillSeconds: %s', async (code) => {
    const deps = makeTwoClusters();
    const signal = signalOf({ code, detail: 'no room', sinceEpochMs: epochMs });
    deps.clock.advance(299_999);
    const before = await moveForRoomOr(deps, plan, signal, pending);
    deps.clock.advance(1);

    expect(before).toBe(pending);
    expect(await moveForRoomOr(deps, plan, signal, pending)).toMatchObject({
      name: 'RelaunchError',
      code: 'ClusterFull',
      detail: `cluster sandbox has had no room for 300 s: ${code}: no room`,
      subject,
      cause: pending,
    });
  });

  test.each([undefined, signalOf({ code: 'ErrImagePull', sinceEpochMs: epochMs })])(
    'is not one that waits for something else: %j',
    async (signal) => {
      const deps = makeTwoClusters();
      deps.clock.advance(3_600_000);

      expect(await moveForRoomOr(deps, plan, signal, pending)).toBe(pending);
    },
  );

  test('waits on if the other cluster is away', async () => {
    const deps = makeTwoClusters();
    const signal = signalOf({ code: 'Unschedulable', sinceEpochMs: epochMs });
    deps.clock.advance(300_000);
    await reportAway(deps.clusterStates, 'other', epochMs + 280_000);

    expect(await moveForRoomOr(deps, plan, signal, pending)).toBe(pending);
  });
});

test.each([
  ['has used all of its clusters', used],
  ['has a single cluster', single],
])('a launch that %s goes nowhere', async (_what, stuck) => {
  const deps = await awayFor(300);
  const refusal = new TerminalError('AdmissionDenied', 'no');
  const full = signalOf({ code: 'Unschedulable', sinceEpochMs: epochMs });

  expect(await moveOr(deps, stuck, frozen)).toBe(frozen);
  expect(await moveOr(deps, stuck, refusal)).toBe(refusal);
  expect(await moveForRoomOr(deps, stuck, full, pending)).toBe(pending);
});
