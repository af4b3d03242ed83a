import { afterAll } from '@jest/globals';
import { describeApi } from '../../contract/api-conversations.contract.ts';
import { startTemporaryCluster, type TemporaryCluster } from '../test-cluster.ts';

let cluster: TemporaryCluster | undefined;
afterAll(async () => cluster?.[Symbol.asyncDispose]());

// One of its own, as the range of the node ports is its API server's.
describeApi('real', async () => {
  cluster = await startTemporaryCluster({ nodePortRange: '30000-30001' });
  return cluster.kubeconfig;
});
