import { expect, test } from 'vitest';
import { whyAllAway } from '../../../../functions/launch-lifecycle/all-away.ts';
import { epochMs } from '../../../contract/launch-fixtures.ts';
import { MemoryClusterStates } from '../../../support/memory-cluster-states.ts';
import { reportAway } from '../../../support/two-clusters.ts';

const clusters = ['one', 'two'];

async function reasonWhenAway(...away: string[]): Promise<string | undefined> {
  const clusterStates = new MemoryClusterStates();
  for (const cluster of away) await reportAway(clusterStates, cluster, epochMs);
  return whyAllAway({ clusterStates, nowEpochMs: () => epochMs + 10_000 }, { clusters });
}

test.each([[[]], [['one']], [['two']]])('there is a cluster for a launch while %j are away', async (away) => {
  expect(await reasonWhenAway(...away)).toBeUndefined();
});

test('the reason names each cluster that is away, and since when', async () => {
  expect(await reasonWhenAway('one', 'two')).toBe(
    'cluster one is away: Unreachable since 2026-01-01T00:00:00.000Z; cluster two is away: Unreachable since 2026-01-01T00:00:00.000Z',
  );
});
