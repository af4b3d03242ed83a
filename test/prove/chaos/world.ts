import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CiServer, startCiServer } from '../../../local/demo/ci-server.ts';
import { type ApiClient, openApi } from '../../contract/api-client.ts';
import { checkTrace } from '../../support/check-trace.ts';
import { mergedKubeconfig } from '../../support/merged-kubeconfig.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { machineIp } from '../cluster/plan.ts';
import { say } from '../cluster/say.ts';
import { startTemporaryCluster } from '../cluster/test-cluster.ts';
import { until } from '../cluster/until.ts';
import { configOnCluster } from '../on-cluster/config.ts';
import { setUpDavit } from '../on-cluster/davit-identity.ts';
import { type LiveDavit, startLiveDavit } from '../on-cluster/live-davit.ts';
import type { Message } from '../on-cluster/messages.ts';

/** A cluster, and a client of its API with full rights. */
export interface ReachedCluster {
  cluster: Cluster;
  api: ApiClient;
}

/** The parts of a running world. */
export interface World extends AsyncDisposable {
  clusters: readonly ReachedCluster[];
  /** The server at which running agents register. */
  ci: CiServer;
  /** The running davit; during a restart, the next one. */
  davit(): Promise<LiveDavit>;
  /** Kills davit and restarts it in the same place. Resolves once it is killed. */
  killDavit(): Promise<void>;
  /** Aborts the run, after an error that makes it pointless. */
  fail(reason: unknown): void;
  /** Aborted, with the reason, when the run is aborted. */
  over: AbortSignal;
}

const kwokNodes = 3;
/** More than a run ever has at once: each launch holds a slot, and none waits for one. */
const maxAgents = 1000;
const readyWithinMs = 60_000;

/**
 * Starts clusters, a CI server, and a davit with only its own Role's rights.
 *
 * @param count the number of clusters
 * @param heard called with every event that each davit reports
 * @param interrupted aborts the run
 */
export async function startWorld(
  count: number,
  heard: (message: Message) => void,
  interrupted: AbortSignal,
): Promise<World> {
  await using started = new AsyncDisposableStack();
  const failed = new AbortController();
  const over = AbortSignal.any([interrupted, failed.signal]);
  const directory = await mkdtemp(join(tmpdir(), 'davit-chaos-'));
  started.defer(() => rm(directory, { recursive: true, force: true }));
  const clusters: ReachedCluster[] = [];
  while (clusters.length < count) {
    const cluster = started.use(await startTemporaryCluster({ kwokNodes }));
    over.throwIfAborted();
    clusters.push({ cluster, api: started.use(openApi(cluster.kubeconfig)) });
  }
  const names = clusters.map(({ cluster }) => cluster.name);
  const ci = await startCiServer({ listen: machineIp });
  started.defer(() => ci.stop());
  const agentEnv = { CI_SERVER_URL: ci.url };
  const config = configOnCluster({ agentEnv, clusters: names, maxAgents });
  const kubeconfigs: Record<string, string> = {};
  for (const { cluster, api } of clusters) {
    kubeconfigs[cluster.name] = await setUpDavit(api, cluster.apiUrl, config, cluster.name);
  }
  const kubeconfigPath = join(directory, 'kubeconfig');
  await writeFile(kubeconfigPath, mergedKubeconfig(kubeconfigs), { mode: 0o600 });

  let killed: LiveDavit | undefined;
  const start = async (port: number): Promise<LiveDavit> => {
    const listen = { host: machineIp, port };
    const stateDirectory = join(directory, 'state');
    const options = { stateDirectory, kubeconfigPath, clusters: names, maxAgents, agentEnv, listen };
    const davit = await startLiveDavit(options, heard);
    void davit.ended.then(() => davit === killed || failed.abort(new Error('davit has ended by itself')));
    return davit;
  };
  const kill = async (davit: LiveDavit) => {
    killed = davit;
    await davit.kill();
  };
  say('starts davit');
  let running = Promise.resolve(await start(0));
  started.defer(async () => void (await checkTrace(join(directory, 'state'))));
  started.defer(async () => kill(await running));
  const port = Number(new URL((await running).url).port);
  const stop = started.move();
  return {
    clusters,
    ci,
    davit: () => running,
    killDavit: async () => {
      await kill(await running);
      running = start(port);
      running.catch((error) => failed.abort(error));
    },
    fail: (reason) => failed.abort(reason),
    over,
    [Symbol.asyncDispose]: () => stop.disposeAsync(),
  };
}

/** Waits until each API server answers. */
export async function untilReady({ clusters }: Pick<World, 'clusters'>): Promise<void> {
  for (const { cluster, api } of clusters) {
    const what = `the API server of ${cluster.name} is ready`;
    await until(what, readyWithinMs, async () => (await api.send('/readyz')).status === 200);
  }
}
