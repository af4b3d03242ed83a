import { TransientError } from '../../core/errors/errors.ts';
import type { LaunchPlan } from '../../core/launch/launch-state.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { ClusterStates } from '../../ports/cluster-states.ts';
import { epochMs } from '../contract/launch-fixtures.ts';
import { makeTestDeps, type TestDeps } from './make-test-deps.ts';
import { MemoryCluster } from './memory-cluster.ts';
import { TestClock } from './test-clock.ts';

/** The dependencies of a test with two clusters: `sandbox`, where launches begin, and `other`. */
export interface TwoClusters extends TestDeps {
  other: MemoryCluster;
  unreachable: Set<string>;
}

/** The plan's fields for a launch that may move from `sandbox` to `other`. */
export const mayMove: Pick<LaunchPlan, 'failover' | 'waitsForCluster'> = {
  waitsForCluster: true,
  failover: { clusters: ['other'], moves: 0, failoverSeconds: 60, spillSeconds: 300 },
};

/** Makes a test's own dependencies, with both clusters reachable. */
export function makeTwoClusters(): TwoClusters {
  const clock = new TestClock(epochMs);
  const other = new MemoryCluster(clock);
  const unreachable = new Set<string>();
  const deps = makeTestDeps({ clock });
  const openCluster = async (name: string): Promise<Cluster> => {
    if (unreachable.has(name)) throw new TransientError('ClusterUnreachable', `${name}: no route to host`);
    return name === 'other' ? other : deps.cluster;
  };
  return { ...deps, openCluster, other, unreachable };
}

/** Reports that a cluster failed three times in a row, the last time 10 s after the first. */
export async function reportAway(clusterStates: ClusterStates, cluster: string, sinceEpochMs: number): Promise<void> {
  for (const afterMs of [0, 5000, 10_000]) {
    const atEpochMs = sinceEpochMs + afterMs;
    const times = { beganAtEpochMs: atEpochMs, endedAtEpochMs: atEpochMs };
    await clusterStates.report({ cluster, kind: 'failed', reason: 'Unreachable', error: 'no route to host', ...times });
  }
}

/** Reports that creates in a namespace failed three times in a row, the last time 10 s after the first. */
export async function reportNamespaceAway(
  clusterStates: ClusterStates,
  cluster: string,
  namespace: string,
  sinceEpochMs: number,
): Promise<void> {
  for (const afterMs of [0, 5000, 10_000]) {
    const atEpochMs = sinceEpochMs + afterMs;
    const failed = { kind: 'failed', error: 'failed calling webhook', beganAtEpochMs: atEpochMs } as const;
    const outcome = { namespace, ...failed, reason: 'AdmissionUnavailable', endedAtEpochMs: atEpochMs } as const;
    await clusterStates.report({ cluster, kind: 'works', endedAtEpochMs: atEpochMs, namespaces: [outcome] });
  }
}
