import { join } from 'node:path';
import { selfContainedKubeconfig } from './self-contained-kubeconfig.ts';
import { type LocalCluster, saveKubeconfig } from './start-cluster.ts';

/**
 * Uses the cluster in whose Pod davit runs, as the Pod's ServiceAccount. The kubelet replaces the token's file long before
 * the token expires, and each renewal reads the file again. A copy in the state directory serves `davit doctor`.
 *
 * @param root the directory that has `/var/run/secrets/kubernetes.io/serviceaccount`
 * @throws Error naming what the Pod lacks
 * @see https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/
 */
export async function useServiceAccount(stateDirectory: string, root = ''): Promise<LocalCluster> {
  if (!process.env['KUBERNETES_SERVICE_HOST']) {
    throw new Error('--in-cluster: KUBERNETES_SERVICE_HOST is not set, as it is in every Pod');
  }
  const { KubeConfig } = await import('../../adapters/kubernetes/kube-config.ts');
  const kubeconfigPath = join(stateDirectory, 'kubeconfig');
  const read = () => {
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromCluster(root);
    return selfContainedKubeconfig(kubeConfig);
  };
  const renewKubeconfig = async () => {
    const kubeconfig = await read();
    await saveKubeconfig({ kubeconfig, kubeconfigPath });
    return kubeconfig;
  };
  try {
    return { kubeconfig: await read(), kubeconfigPath, renewKubeconfig };
  } catch (cause) {
    throw new Error('--in-cluster: the Pod has no token of its ServiceAccount: set automountServiceAccountToken', {
      cause,
    });
  }
}
