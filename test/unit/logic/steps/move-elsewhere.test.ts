import { PendingError, TerminalError, TransientError } from '../../../../core/errors/errors.ts';
import { moveForRoomOr, moveOr } from '../../../../logic/steps/move-elsewhere.ts';
import { epochMs, planOf, signalOf } from '../../../contract/launch-fixtures.ts';
import { testLaunchId } from '../../../support/make-test-deps.ts';
import {
  makeTwoClusters,
  mayMove,
  reportAway,
  reportNamespaceAway,
  type TwoClusters,
} from '../../../support/two-clusters.ts';

const plan = planOf(testLaunchId, mayMove);
const frozen = new TransientError('ClusterUnreachable', 'get pods: no answer in time', { cluster: 'sandbox' });
const used = planOf(testLaunchId, { failover: { clusters: [], moves: 1, failoverSeconds: 60, spillSeconds: 300 } });
const single = planOf(testLaunchId);
const subject = { cluster: 'sandbox' };
const pending = new PendingError('PlacementPending', 'the Pod has no address', subject);

let deps: TwoClusters;
beforeEach(() => {
  deps = makeTwoClusters();
});

/** Reports the launch's own cluster as away, and lets time pass. */
async function awayFor(seconds: number): Promise<void> {
  await reportAway(deps.clusterStates, 'sandbox', epochMs);
  deps.clock.advance(seconds * 1000);
}

describe('a launch in whose namespace creates fail', () => {
  const down = new TransientError('AdmissionUnavailable', 'create pods: failed calling webhook', subject);

  test('moves once the namespace is recorded as away for failoverSeconds, although the cluster answers', async () => {
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
    await awayFor(60);

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
      await awayFor(60);

      expect(await moveOr(deps, plan, new TransientError(code, 'no'))).toMatchObject({ code: 'ClusterAway' });
    },
  );

  const works = (endedAtEpochMs: number) =>
    deps.clusterStates.report({ cluster: 'sandbox', kind: 'works', endedAtEpochMs });

  test.each<[when: string, isAwayFor: number | undefined, happens: () => unknown]>([
    ['until then', 59, () => undefined],
    ['while its cluster is not recorded as away, however long its own calls fail', undefined, () => undefined],
    ['if its cluster answers others, and is recorded as connected again', 60, () => works(epochMs + 60_000)],
    ['if its cluster has worked for long, and one call fails', undefined, () => works(epochMs)],
    ['if the other cluster is away, too', 60, () => reportAway(deps.clusterStates, 'other', epochMs + 1000)],
  ])('stays %s', async (_when, isAwayFor, happens) => {
    if (isAwayFor !== undefined) await awayFor(isAwayFor);
    await happens();
    if (isAwayFor === undefined) deps.clock.advance(120_000);

    expect(await moveOr(deps, plan, frozen)).toBe(frozen);
  });

  test.each([
    { error: new TransientError('StoreUnavailable', 'throttled') },
    { error: new PendingError('PlacementPending', 'not yet') },
    { error: new TerminalError('ImagePullFailed', 'no such image') },
    { error: new TypeError('a defect') },
  ])('stays for an error that is not about its cluster: $error.message', async ({ error }) => {
    await awayFor(60);

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
    const refusal = new TerminalError(code, 'no', subject);

    expect(await moveOr(deps, plan, refusal)).toMatchObject({
      code: 'ClusterRefused',
      detail: `cluster sandbox refuses the launch: ${code}: no`,
      subject,
      cause: refusal,
    });
  });

  test('moves even to a cluster that is away, and waits there', async () => {
    await reportAway(deps.clusterStates, 'other', epochMs);

    expect(await moveOr(deps, plan, new TerminalError('AdmissionDenied', 'no'))).toMatchObject({
      code: 'ClusterRefused',
    });
  });
});

describe('a launch whose cluster has no room', () => {
  test.each(['QuotaExceeded', 'NodePortRangeFull', 'Unschedulable'])('moves after spillSeconds: %s', async (code) => {
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
      deps.clock.advance(3_600_000);

      expect(await moveForRoomOr(deps, plan, signal, pending)).toBe(pending);
    },
  );

  test('waits on if the other cluster is away', async () => {
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
  await awayFor(300);
  const refusal = new TerminalError('AdmissionDenied', 'no');
  const full = signalOf({ code: 'Unschedulable', sinceEpochMs: epochMs });

  expect(await moveOr(deps, stuck, frozen)).toBe(frozen);
  expect(await moveOr(deps, stuck, refusal)).toBe(refusal);
  expect(await moveForRoomOr(deps, stuck, full, pending)).toBe(pending);
});
