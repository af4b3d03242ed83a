import { removeAbandoned } from './remove-cluster.ts';
import { startCluster } from './start-cluster.ts';
import { testClusterVariable } from './test-cluster.ts';

/**
 * Starts the cluster that all suites share; remove-shared-cluster.ts removes it. If this process is killed, the next run
 * does.
 */
export default async function setUp(): Promise<void> {
  await removeAbandoned();
  const name = `test-${process.pid}`;
  await startCluster({ name, nodes: 2, kwokNodes: 1 });
  process.env[testClusterVariable] = name;
}
