import { TransientError } from '../../../../core/errors/errors.ts';
import { openStore } from '../../../../local/store/open-store.ts';
import { sqliteClusterStates } from '../../../../local/store/sqlite-cluster-states.ts';
import { planWhereConnected } from '../../../../logic/lifecycle/plan-where-connected.ts';
import type { ClusterStates } from '../../../../ports/cluster-states.ts';
import { makeProfile } from '../../../support/make-profile.ts';
import { reportNamespaceAway } from '../../../support/two-clusters.ts';

const nowEpochMs = 1_780_308_000_000;
const profile = makeProfile({ clusters: ['one', 'two'], strategy: 'ordered' });

/** Reports three failures in a row over 10 s. */
async function disconnect(clusterStates: ClusterStates, cluster: string, fromEpochMs: number): Promise<void> {
  for (const afterMs of [0, 5000, 10_000]) {
    await clusterStates.report({
      cluster,
      kind: 'failed',
      reason: 'Unreachable',
      error: 'connect ECONNREFUSED',
      beganAtEpochMs: fromEpochMs + afterMs,
      endedAtEpochMs: fromEpochMs + afterMs,
    });
  }
}

describe('planWhereConnected', () => {
  test('plans a launch on a cluster of unknown state', async () => {
    const deps = { clusterStates: sqliteClusterStates(openStore(':memory:')), nowEpochMs: () => nowEpochMs };

    const { cluster } = await planWhereConnected(deps, profile, { launchId: 'github-1-2-1' });

    expect(cluster).toBe('one');
  });

  test.each([
    { is: 'away', agoMs: 20_000, goesTo: 'two' },
    { is: 'no longer known', agoMs: 20 * 60_000, goesTo: 'one' },
  ])('plans a launch on $goesTo while one is $is', async ({ agoMs, goesTo }) => {
    const clusterStates = sqliteClusterStates(openStore(':memory:'));
    await disconnect(clusterStates, 'one', nowEpochMs - agoMs);

    const deps = { clusterStates, nowEpochMs: () => nowEpochMs };
    const { cluster } = await planWhereConnected(deps, profile, { launchId: 'github-1-2-1' });

    expect(cluster).toBe(goesTo);
  });

  test('plans a launch on another cluster while its namespace is away, and only then', async () => {
    const clusterStates = sqliteClusterStates(openStore(':memory:'));
    await reportNamespaceAway(clusterStates, 'one', profile.namespace, nowEpochMs - 20_000);
    const deps = { clusterStates, nowEpochMs: () => nowEpochMs };

    const away = await planWhereConnected(deps, profile, { launchId: 'github-1-2-1' });
    const other = await planWhereConnected(deps, { ...profile, namespace: 'other' }, { launchId: 'github-1-2-1' });

    expect([away.cluster, other.cluster]).toEqual(['two', 'one']);
  });

  test('plans a launch although the clusters table does not answer', async () => {
    const get = async () => {
      throw new TransientError('StoreUnavailable', 'throttled');
    };

    const deps = { clusterStates: { get }, nowEpochMs: () => nowEpochMs };
    const { cluster } = await planWhereConnected(deps, profile, { launchId: 'github-1-2-1' });

    expect(cluster).toBe('one');
  });
});

test('nothing is read about a cluster without an alternative', async () => {
  const get = async () => {
    throw new TypeError('nobody asked');
  };
  const single = makeProfile({ clusters: ['one'] });

  const deps = { clusterStates: { get }, nowEpochMs: () => nowEpochMs };
  const { cluster } = await planWhereConnected(deps, single, { launchId: 'github-1-2-1' });

  expect(cluster).toBe('one');
});
