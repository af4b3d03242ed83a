import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../functions/domain/config.ts';
import type { ImageTable } from '../../sandbox/node/image-pull.ts';
import { type SandboxCluster, type SandboxClusterOptions, startSandboxCluster } from '../../sandbox/sandbox-cluster.ts';
import { makePrivateDirectory } from './private-directory.ts';
import { hasChangingCredentials, selfContainedKubeconfig } from './self-contained-kubeconfig.ts';

/** The cluster that a runtime uses. */
export interface LocalCluster {
  kubeconfig: string;
  /** A file for kubectl. */
  kubeconfigPath: string;
  /** Makes the kubeconfig anew, where its credentials change by themselves: a program of the user's gives them. */
  renewKubeconfig?: () => Promise<string>;
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
  await makePrivateDirectory(stateDirectory);
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
 * Uses the current context of a kubeconfig. No cluster is started or stopped, but the kubeconfig's own program is run.
 *
 * @throws Error naming the file, when it cannot be read, has no current context, or its user gets no credential
 */
export async function useKubeconfig(kubeconfigPath: string): Promise<LocalCluster> {
  // Only here: the client takes half a second to load.
  const { KubeConfig } = await import('@kubernetes/client-node');
  const kubeConfig = new KubeConfig();
  try {
    kubeConfig.loadFromFile(kubeconfigPath);
  } catch (cause) {
    throw new Error(`KUBECONFIG ${kubeconfigPath}: cannot be read as a kubeconfig`, { cause });
  }
  if (kubeConfig.getCurrentCluster() === null) throw new Error(`KUBECONFIG ${kubeconfigPath}: has no current context`);
  const renewKubeconfig = () => selfContainedKubeconfig(kubeConfig);
  try {
    const renews = hasChangingCredentials(kubeConfig) ? { renewKubeconfig } : {};
    return { kubeconfig: await renewKubeconfig(), kubeconfigPath, ...renews };
  } catch (cause) {
    throw new Error(`KUBECONFIG ${kubeconfigPath}: its files or its user are of no use`, { cause });
  }
}
