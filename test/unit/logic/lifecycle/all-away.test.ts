import { openStore } from '../../../../local/store/open-store.ts';
import { sqliteClusterStates } from '../../../../local/store/sqlite-cluster-states.ts';
import { whyAllAway } from '../../../../logic/lifecycle/all-away.ts';
import { epochMs } from '../../../contract/launch-fixtures.ts';
import { reportAway, reportNamespaceAway } from '../../../support/two-clusters.ts';

const clusters = ['one', 'two'];

async function reasonWhenAway(...away: string[]): Promise<string | undefined> {
  const clusterStates = sqliteClusterStates(openStore(':memory:'));
  for (const cluster of away) await reportAway(clusterStates, cluster, epochMs);
  return whyAllAway({ clusterStates, nowEpochMs: () => epochMs + 10_000 }, { clusters, namespace: 'agents' });
}

test.each([[[]], [['one']], [['two']]])('there is a cluster for a launch while %j are away', async (away) => {
  expect(await reasonWhenAway(...away)).toBeUndefined();
});

test('a namespace that is away keeps its profiles away, and those of no other namespace', async () => {
  const clusterStates = sqliteClusterStates(openStore(':memory:'));
  await reportNamespaceAway(clusterStates, 'one', 'agents', epochMs);
  await reportAway(clusterStates, 'two', epochMs);
  const deps = { clusterStates, nowEpochMs: () => epochMs + 10_000 };

  expect(await whyAllAway(deps, { clusters, namespace: 'agents' })).toBe(
    'namespace agents of cluster one is away: AdmissionUnavailable since 2026-01-01T00:00:00.000Z; ' +
      'cluster two is away: Unreachable since 2026-01-01T00:00:00.000Z',
  );
  expect(await whyAllAway(deps, { clusters, namespace: 'builders' })).toBeUndefined();
});

test('the reason names each cluster that is away, and since when', async () => {
  expect(await reasonWhenAway('one', 'two')).toBe(
    'cluster one is away: Unreachable since 2026-01-01T00:00:00.000Z; cluster two is away: Unreachable since 2026-01-01T00:00:00.000Z',
  );
});
