import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../../core/config/config.ts';
import { type ApiClient, openApi } from '../../contract/api-client.ts';
import { startTemporaryCluster, type TemporaryCluster } from '../cluster/test-cluster.ts';
import { configOnCluster } from '../on-cluster/config.ts';
import { setUpDavit } from '../on-cluster/davit-identity.ts';
import { type LiveDavit, startLiveDavit } from '../on-cluster/live-davit.ts';
import type { Message } from '../on-cluster/messages.ts';
import { type Launcher, makeLauncher } from './timelines.ts';

/** A cluster of a measure's own, prepared for a davit. */
export interface PreparedCluster {
  cluster: TemporaryCluster;
  /** A client with full rights. */
  api: ApiClient;
  config: Config;
  /** davit's kubeconfig, with only its own Role's rights. */
  kubeconfig: string;
}

/**
 * Starts a cluster, and prepares it for a davit.
 *
 * @param resources dispose of everything
 */
export async function prepareCluster(
  resources: AsyncDisposableStack,
  options: { kwokNodes?: number } = {},
): Promise<PreparedCluster> {
  const cluster = resources.use(await startTemporaryCluster(options));
  const api = resources.use(openApi(cluster.kubeconfig));
  const config = configOnCluster();
  return { cluster, api, config, kubeconfig: await setUpDavit(api, cluster.apiUrl, config) };
}

/**
 * Starts a davit for a prepared cluster.
 *
 * @param resources dispose of everything
 * @param kubeconfig the way to the cluster
 * @param heard receives each of davit's messages
 */
export async function startDavit(
  resources: AsyncDisposableStack,
  { cluster, kubeconfig }: Pick<PreparedCluster, 'cluster' | 'kubeconfig'>,
  heard?: (message: Message) => void,
): Promise<{ davit: LiveDavit; launcher: Launcher }> {
  const directory = await mkdtemp(join(tmpdir(), 'davit-bench-'));
  resources.defer(() => rm(directory, { recursive: true, force: true }));
  const kubeconfigPath = join(directory, 'kubeconfig');
  await writeFile(kubeconfigPath, kubeconfig, { mode: 0o600 });
  const listen = { host: cluster.hostIp, port: 0 };
  const stateDirectory = join(directory, 'state');
  const davit = resources.use(await startLiveDavit({ stateDirectory, kubeconfigPath, agentEnv: {}, listen }, heard));
  return { davit, launcher: resources.use(makeLauncher(davit)) };
}
