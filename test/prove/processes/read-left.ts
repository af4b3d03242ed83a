import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';

const labelSelector = 'app.kubernetes.io/managed-by=davit';

/** Lists davit's objects in a kubeconfig file's cluster: kinds and names. */
export async function readLeft(kubeconfigPath: string): Promise<string[]> {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromFile(kubeconfigPath);
  const core = kubeConfig.makeApiClient(CoreV1Api);
  const [services, pods] = await Promise.all([
    core.listServiceForAllNamespaces({ labelSelector }),
    core.listPodForAllNamespaces({ labelSelector }),
  ]);
  return [
    ...services.items.map(({ metadata }) => `Service ${metadata?.name}`),
    ...pods.items.map(({ metadata }) => `Pod ${metadata?.name}`),
  ];
}
