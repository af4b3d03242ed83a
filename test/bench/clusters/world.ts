import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { ClusterView } from '../../../functions/clusters/cluster-view-schema.ts';
import { type BreakableLine, startBreakableLine } from '../../cluster/breakable-line.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { startTemporaryCluster } from '../../cluster/test-cluster.ts';
import { until } from '../../cluster/until.ts';
import { type ApiClient, openApi } from '../../contract/api-client.ts';
import { configOnCluster } from '../../on-cluster/config.ts';
import { setUpDavit } from '../../on-cluster/davit-identity.ts';
import { type LiveDavit, startLiveDavit } from '../../on-cluster/live-davit.ts';
import { type Launcher, makeLauncher } from '../timelines.ts';

/** A cluster to lose repeatedly, and a davit that reaches it over a line that can break. */
export interface ClusterWorld extends AsyncDisposable {
  cluster: Cluster;
  line: BreakableLine;
  /** A client with full rights that bypasses the line. */
  api: ApiClient;
  davit: LiveDavit;
  launcher: Launcher;
  /** Reads the cluster's state, as `GET /clusters/{name}` shows it. */
  show: () => Promise<ClusterView>;
  /** Waits until the state matches. */
  untilState: (what: string, isIt: (state: ClusterView) => boolean) => Promise<ClusterView>;
}

const patienceMs = 180_000;

/** Starts a cluster, a line to it and a davit. @param say reports progress */
export async function startClusterWorld(say: (text: string) => void): Promise<ClusterWorld> {
  await using started = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'davit-bench-clusters-'));
  started.defer(() => rm(directory, { recursive: true, force: true }));
  const cluster = started.use(await startTemporaryCluster({ onProgress: say }));
  const api = started.use(openApi(cluster.kubeconfig));
  const line = started.use(await startBreakableLine(cluster));
  const config = configOnCluster();
  const name = config.clusters[0]?.name ?? '';
  const kubeconfigPath = join(directory, 'kubeconfig');
  const kubeconfig = line.through(await setUpDavit(api, cluster.apiUrl, config));
  await writeFile(kubeconfigPath, kubeconfig, { mode: 0o600 });
  const listen = { host: cluster.hostIp, port: 0 };
  const stateDirectory = join(directory, 'state');
  const davit = started.use(await startLiveDavit({ stateDirectory, kubeconfigPath, agentEnv: {}, listen }));
  const launcher = started.use(makeLauncher(davit));
  const show = async () => z.parse(ClusterView, (await davit.launches.get(`/clusters/${name}`)).body);
  const untilState: ClusterWorld['untilState'] = (what, isIt) =>
    until(`the cluster's state ${what}`, patienceMs, async () => {
      const state = await show();
      return isIt(state) ? state : undefined;
    });
  const running = started.move();
  const stop = () => running.disposeAsync();
  return { cluster, line, api, davit, launcher, show, untilState, [Symbol.asyncDispose]: stop };
}
