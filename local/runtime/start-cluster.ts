import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import type { Config } from '../../functions/domain/config.ts';
import type { ImageTable } from '../cluster/node/image-pull.ts';
import { type SandboxCluster, type SandboxClusterOptions, startSandboxCluster } from '../cluster/sandbox-cluster.ts';

/** The cluster that a runtime uses. */
export interface LocalCluster {
  kubeconfig: string;
  /** A file for kubectl. */
  kubeconfigPath: string;
}

/** The sandbox, as a runtime uses it. */
export interface SandboxedCluster extends LocalCluster, AsyncDisposable {
  sandbox: SandboxCluster;
}

/** What a sandbox is started with, beside what its runtime knows. */
export type SandboxOptions = Omit<SandboxClusterOptions, 'node' | 'namespace'> & {
  images: ImageTable;
  node?: Partial<SandboxClusterOptions['node']>;
};

/** Starts the sandbox, with every namespace that the config's profiles name. Its file for kubectl is not written yet. */
export async function startSandbox(
  config: Config,
  stateDirectory: string,
  { images, node, ...options }: SandboxOptions,
): Promise<SandboxedCluster> {
  const namespaces = new Set(config.profiles.map(({ namespace }) => namespace));
  const [first = 'default'] = namespaces;
  const sandbox = await startSandboxCluster({
    ...options,
    namespace: first,
    node: { stateDirectory: join(stateDirectory, 'cluster'), images, ...node },
  });
  for (const name of namespaces) {
    if (sandbox.store.get('namespaces', undefined, name) === undefined) {
      sandbox.store.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    }
  }
  const { kubeconfig } = sandbox;
  const kubeconfigPath = join(stateDirectory, 'kubeconfig');
  return { kubeconfig, kubeconfigPath, sandbox, [Symbol.asyncDispose]: () => sandbox.stop() };
}

/** Writes the sandbox's file for kubectl. The state directory must be ours by then: the file may be another runtime's. */
export async function saveKubeconfig({ kubeconfig, kubeconfigPath }: LocalCluster): Promise<void> {
  await writeFile(kubeconfigPath, kubeconfig, { mode: 0o600 });
}

/**
 * Uses the current context of a kubeconfig. Nothing is started, and nothing is stopped.
 *
 * @throws Error naming the file, when it cannot be read or has no current context
 */
export function useKubeconfig(kubeconfigPath: string): LocalCluster {
  const kubeConfig = new KubeConfig();
  try {
    kubeConfig.loadFromFile(kubeconfigPath);
  } catch (cause) {
    throw new Error(`KUBECONFIG ${kubeconfigPath}: cannot be read as a kubeconfig`, { cause });
  }
  if (kubeConfig.getCurrentCluster() === null) throw new Error(`KUBECONFIG ${kubeconfigPath}: has no current context`);
  return { kubeconfig: kubeConfig.exportConfig(), kubeconfigPath };
}
