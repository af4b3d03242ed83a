import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../core/config/config.ts';
import type { ImageTable } from '../../sandbox/node/image-pull.ts';
import { type SandboxCluster, type SandboxClusterOptions, startSandboxCluster } from '../../sandbox/sandbox-cluster.ts';
import { makePrivateDirectory } from './private-directory.ts';
import { hasChangingCredentials, selfContainedKubeconfig } from './self-contained-kubeconfig.ts';

/** How a runtime reaches a cluster. */
export interface ClusterAccess {
  kubeconfig: string;
  /** Makes the kubeconfig again. Present if its credentials may change, because a program of the user's issues them. */
  renewKubeconfig?: () => Promise<string>;
}

/** The cluster that a runtime uses for every cluster of its config, except those in `byName`. */
export interface LocalCluster extends ClusterAccess {
  /** A file for kubectl. */
  kubeconfigPath: string;
  /** The clusters of the config that a runtime reaches otherwise, by their names there. */
  byName?: Readonly<Record<string, ClusterAccess>>;
}

/** Returns how a runtime reaches a cluster of its config. */
export function accessTo(cluster: LocalCluster, name: string): ClusterAccess {
  return cluster.byName?.[name] ?? cluster;
}

/** The sandbox, as a runtime uses it. */
export interface SandboxedCluster extends LocalCluster, AsyncDisposable {
  sandbox: SandboxCluster;
}

/** The settings of a sandbox, besides those of its runtime. */
export type SandboxOptions = Omit<SandboxClusterOptions, 'node' | 'namespace'> & {
  images: ImageTable;
  node?: Partial<SandboxClusterOptions['node']>;
};

/** Starts the sandbox, with every namespace of the config's profiles. Does not write its file for kubectl yet. */
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

/**
 * Writes the sandbox's file for kubectl. Call it only with the lock of the state directory: the file may belong to
 * another runtime.
 */
export async function saveKubeconfig({ kubeconfig, kubeconfigPath }: LocalCluster): Promise<void> {
  await writeFile(kubeconfigPath, kubeconfig, { mode: 0o600 });
}

/**
 * Uses a context of a kubeconfig. Starts and stops no cluster, but runs the kubeconfig's own program.
 *
 * @param context its name; without it, the current one
 * @throws Error naming the file and the context, if the file is unreadable or has no such context, or if the context's
 *   user gets no credential
 */
export async function useKubeconfig(kubeconfigPath: string, context?: string): Promise<LocalCluster> {
  const { KubeConfig } = await import('../../adapters/kubernetes/kube-config.ts');
  const kubeConfig = new KubeConfig();
  try {
    kubeConfig.loadFromFile(kubeconfigPath);
  } catch (cause) {
    throw new Error(`KUBECONFIG ${kubeconfigPath}: cannot be read as a kubeconfig`, { cause });
  }
  if (context !== undefined) kubeConfig.setCurrentContext(context);
  if (kubeConfig.getCurrentCluster() === null) {
    const what = context === undefined ? 'current context' : `context ${context} with a cluster`;
    throw new Error(`KUBECONFIG ${kubeconfigPath}: has no ${what}`);
  }
  const renewKubeconfig = () => selfContainedKubeconfig(kubeConfig);
  try {
    const renews = hasChangingCredentials(kubeConfig) ? { renewKubeconfig } : {};
    return { kubeconfig: await renewKubeconfig(), kubeconfigPath, ...renews };
  } catch (cause) {
    const whose = context === undefined ? 'its files or its user' : `the files or the user of context ${context}`;
    throw new Error(`KUBECONFIG ${kubeconfigPath}: ${whose} cannot be used`, { cause });
  }
}
