import { findRecord, ownerHere } from './registry.ts';
import { removeAbandoned, removeCluster } from './remove-cluster.ts';
import { startCluster } from './start-cluster.ts';
import { testClusterVariable } from './test-cluster.ts';

/**
 * Starts the cluster that all suites share. If this process is killed, the next run removes the cluster.
 *
 * @returns a function that removes it
 */
export default async function setUp(): Promise<() => Promise<void>> {
  await removeAbandoned();
  const name = `test-${process.pid}`;
  const onProgress = (text: string) => void process.stderr.write(`cluster ${name}: ${text}\n`);
  await startCluster({ name, nodes: 2, kwokNodes: 1, owner: await ownerHere(), onProgress });
  process.env[testClusterVariable] = name;
  return async () => {
    const record = await findRecord(name);
    if (record !== undefined) await removeCluster(record.number);
  };
}
