import { TransientError } from '../../../../core/errors/errors.ts';
import { openStore } from '../../../../local/store/open-store.ts';
import { sqliteClusterStates } from '../../../../local/store/sqlite-cluster-states.ts';
import { planWhereConnected } from '../../../../logic/lifecycle/plan-where-connected.ts';
import type { ClusterStates } from '../../../../ports/cluster-states.ts';
import { makeProfile } from '../../../support/make-profile.ts';
import { reportAway, reportNamespaceAway } from '../../../support/two-clusters.ts';

const nowEpochMs = 1_780_308_000_000;
const profile = makeProfile({ clusters: ['one', 'two'], strategy: 'ordered' });
let clusterStates: ClusterStates;

beforeEach(() => {
  clusterStates = sqliteClusterStates(openStore(':memory:'));
});

/** The cluster of a launch that is planned now. */
async function clusterFor(of = profile): Promise<string> {
  const deps = { clusterStates, nowEpochMs: () => nowEpochMs };
  return (await planWhereConnected(deps, of, { launchId: 'github-1-2-1' })).cluster;
}

test('a launch is planned on a cluster of unknown state', async () => {
  expect(await clusterFor()).toBe('one');
});

test.each([
  { is: 'away', agoMs: 20_000, goesTo: 'two' },
  { is: 'no longer known', agoMs: 20 * 60_000, goesTo: 'one' },
])('a launch is planned on $goesTo while one is $is', async ({ agoMs, goesTo }) => {
  await reportAway(clusterStates, 'one', nowEpochMs - agoMs);

  expect(await clusterFor()).toBe(goesTo);
});

test('a launch is planned on another cluster while its namespace is away, and only then', async () => {
  await reportNamespaceAway(clusterStates, 'one', profile.namespace, nowEpochMs - 20_000);

  expect([await clusterFor(), await clusterFor({ ...profile, namespace: 'other' })]).toEqual(['two', 'one']);
});

test('a launch is planned although the clusters table does not answer', async () => {
  clusterStates.get = async () => {
    throw new TransientError('StoreUnavailable', 'throttled');
  };

  expect(await clusterFor()).toBe('one');
});

test('nothing is read about a cluster without an alternative', async () => {
  clusterStates.get = async () => {
    throw new TypeError('nobody asked');
  };

  expect(await clusterFor(makeProfile({ clusters: ['one'] }))).toBe('one');
});
