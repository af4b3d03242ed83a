import { findRecord } from './registry.ts';
import { removeCluster } from './remove-cluster.ts';
import { testClusterVariable } from './test-cluster.ts';

/** Removes the cluster that all suites shared. */
export default async function tearDown(): Promise<void> {
  const record = await findRecord(process.env[testClusterVariable] ?? '');
  if (record !== undefined) await removeCluster(record.number);
}
