import { type Cluster, openCluster } from './cluster.ts';
import { buildPrograms } from './programs/programs.ts';
import { findRecord, planOf } from './registry.ts';

/** Names, to the suites, the cluster that was started for them. */
export const testClusterVariable = 'DAVIT_TEST_CLUSTER';

/** Opens the cluster that all suites share: two nodes with a kubelet, one that kwok plays. */
export async function openTestCluster(): Promise<Cluster> {
  const name = process.env[testClusterVariable] ?? '';
  const record = await findRecord(name);
  if (record === undefined) throw new Error(`there is no cluster "${name}": npm run test:cluster starts one`);
  return openCluster(await buildPrograms(() => {}), planOf(record));
}
