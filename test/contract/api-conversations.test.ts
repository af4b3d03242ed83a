import { startSandboxCluster } from '../../sandbox/sandbox-cluster.ts';
import { newFolder } from '../support/new-folder.ts';
import { describeApi } from './api-conversations.contract.ts';

const ending = new AsyncDisposableStack();
afterAll(() => ending.disposeAsync());

describeApi('the sandbox', async () => {
  const stateDirectory = newFolder();
  const nodePorts = [30_000, 30_001];
  const sandbox = await startSandboxCluster({
    namespace: 'davit-agents',
    nodePorts,
    node: { stateDirectory, images: {} },
  });
  ending.use(sandbox);
  return sandbox.kubeconfig;
});
