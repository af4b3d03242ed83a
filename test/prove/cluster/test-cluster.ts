import { randomUUID } from 'node:crypto';
import { type Cluster, openCluster } from './cluster.ts';
import { buildPrograms } from './programs/programs.ts';
import { findRecord, planOf } from './registry.ts';
import { removeCluster } from './remove-cluster.ts';
import { type ClusterOptions, startCluster } from './start-cluster.ts';

/** Tells the suites the name of their cluster. */
export const testClusterVariable = 'DAVIT_TEST_CLUSTER';

/** Opens the cluster that all suites share: two nodes with a kubelet, and one that kwok simulates. */
export async function openTestCluster(): Promise<Cluster> {
  const name = process.env[testClusterVariable] ?? '';
  const record = await findRecord(name);
  if (record === undefined) throw new Error(`there is no cluster "${name}": npm run prove -- cluster starts one`);
  return openCluster(await buildPrograms(), planOf(record));
}

/** A cluster for one suite. */
export interface TemporaryCluster extends Cluster, AsyncDisposable {}

/** Starts a cluster with other settings than the shared one. */
export async function startTemporaryCluster(options: Omit<ClusterOptions, 'name'> = {}): Promise<TemporaryCluster> {
  const name = `test-${process.pid}-${randomUUID().slice(0, 8)}`;
  const cluster = await startCluster({ ...options, name });
  return {
    ...cluster,
    [Symbol.asyncDispose]: async () => {
      const record = await findRecord(name);
      if (record !== undefined) await removeCluster(record.number);
    },
  };
}
