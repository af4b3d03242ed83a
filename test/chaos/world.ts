import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CiServer, startCiServer } from '../../local/demo/ci-server.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { startTemporaryCluster } from '../cluster/test-cluster.ts';
import { type ApiClient, openApi } from '../contract/api-client.ts';
import { configOnCluster } from '../on-cluster/config.ts';
import { setUpDavit } from '../on-cluster/davit-identity.ts';
import { type LiveDavit, startLiveDavit } from '../on-cluster/live-davit.ts';
import type { Message } from '../on-cluster/messages.ts';

/** Everything that is there. */
export interface World extends AsyncDisposable {
  cluster: Cluster;
  /** With full rights. */
  api: ApiClient;
  /** Where agents that run register. */
  ci: CiServer;
  /** The davit that runs; while none does, the one that comes next. */
  davit(): Promise<LiveDavit>;
  /** Kills davit and starts it again, where it was. Returns when it is killed. */
  killDavit(): Promise<void>;
  /** Gives everything up: for what nothing may come after. */
  fail(reason: unknown): void;
  /** Aborted, with the reason, once everything is given up. */
  over: AbortSignal;
}

const kwokNodes = 3;

/**
 * Starts a cluster, a CI server, and a davit that has its own rights and no others.
 *
 * @param heard hears of everything that each davit says
 * @param interrupted gives everything up
 */
export async function startWorld(
  heard: (message: Message) => void,
  say: (text: string) => void,
  interrupted: AbortSignal,
): Promise<World> {
  await using started = new AsyncDisposableStack();
  const failed = new AbortController();
  const over = AbortSignal.any([interrupted, failed.signal]);
  const directory = await mkdtemp(join(tmpdir(), 'davit-chaos-'));
  started.defer(() => rm(directory, { recursive: true, force: true }));
  const cluster = started.use(await startTemporaryCluster({ kwokNodes, onProgress: say }));
  over.throwIfAborted();
  const api = started.use(openApi(cluster.kubeconfig));
  const ci = await startCiServer({ listen: cluster.hostIp });
  started.defer(() => ci.stop());
  const agentEnv = { CI_SERVER_URL: ci.url };
  const kubeconfigPath = join(directory, 'kubeconfig');
  await writeFile(kubeconfigPath, await setUpDavit(api, cluster.apiUrl, configOnCluster(agentEnv)), { mode: 0o600 });

  let killed: LiveDavit | undefined;
  const start = async (port: number): Promise<LiveDavit> => {
    const listen = { host: cluster.hostIp, port };
    const options = { stateDirectory: join(directory, 'state'), kubeconfigPath, agentEnv, listen };
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
  started.defer(async () => kill(await running));
  const port = Number(new URL((await running).url).port);
  const stop = started.move();
  return {
    cluster,
    api,
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
