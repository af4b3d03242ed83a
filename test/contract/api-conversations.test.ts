import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandboxCluster } from '../../sandbox/sandbox-cluster.ts';
import { describeApi } from './api-conversations.contract.ts';

const ending = new AsyncDisposableStack();
afterAll(() => ending.disposeAsync());

describeApi('the sandbox', async () => {
  const stateDirectory = await mkdtemp(join(tmpdir(), 'api-contract-'));
  ending.defer(() => rm(stateDirectory, { recursive: true }));
  const nodePorts = [30_000, 30_001];
  const sandbox = await startSandboxCluster({
    namespace: 'davit-agents',
    nodePorts,
    node: { stateDirectory, images: {} },
  });
  ending.use(sandbox);
  return sandbox.kubeconfig;
});
