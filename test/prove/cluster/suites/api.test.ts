import { describeApi } from '../../../contract/api-conversations.contract.ts';
import { startTemporaryCluster, type TemporaryCluster } from '../test-cluster.ts';

let cluster: TemporaryCluster | undefined;
afterAll(async () => cluster?.[Symbol.asyncDispose]());

// A separate cluster, because the node port range is its API server's setting.
describeApi('real', async () => {
  cluster = await startTemporaryCluster({ nodePortRange: '30000-30001' });
  return cluster.kubeconfig;
});
