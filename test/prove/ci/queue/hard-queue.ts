import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../../../core/config/read-config.ts';
import { startSandbox } from '../../../../local/runtime/start-cluster.ts';
import { checkTrace } from '../../../support/check-trace.ts';
import { keepHistory } from '../../../support/cluster-history.ts';
import { buildGitea } from '../gitea/build-gitea.ts';
import { createGiteaClient } from '../gitea/gitea-client.ts';
import { type Gitea, startGitea } from '../gitea/start-gitea.ts';
import { startKillRecorder } from './kill-recorder.ts';
import { giteaTokenSecret, runnerImages, withQueue } from './queue-config.ts';
import type { QueueWorld } from './run-seed.ts';
import { type DavitProcess, startDavitProcess } from './start-davit-process.ts';
import { startTroubledProxy, type TroubledProxy } from './troubled-proxy.ts';

/** A real Gitea behind a proxy that injects faults, and a davit in a separate process, which tests may kill. */
export interface HardQueue extends QueueWorld, AsyncDisposable {
  gitea: Gitea;
  proxy: TroubledProxy;
  davit: DavitProcess;
  webhookUrl: () => string;
}

const intervalMs = 5000;

/** Starts them. Only repositories of this name may have agents. @param random from 0 to 1, for the faults */
export async function startHardQueue(
  say: (text: string) => void,
  repositories: string[],
  random: () => number,
): Promise<HardQueue> {
  await using started = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'davit-queue-'));
  started.defer(() => rm(directory, { recursive: true, force: true }));
  const stateDirectory = join(directory, 'state');
  started.defer(async () => void (await checkTrace(stateDirectory)));
  const built = await buildGitea(say);
  const proxy = started.use(await startTroubledProxy(() => gitea.url, random));
  // Gitea names its jobs by its public URL.
  const gitea: Gitea = started.use(await startGitea(built, { rootUrl: proxy.url }));
  const kills = started.use(await startKillRecorder());
  const config = withQueue(await readConfig('davit.yaml'), proxy.url, { scope: 'repository', repositories });
  const sandbox = started.use(await startSandbox(config, directory, { images: runnerImages(kills.url) }));
  const history = started.use(keepHistory(sandbox.sandbox));
  const kubeconfigPath = join(directory, 'davits-kubeconfig');
  await writeFile(kubeconfigPath, sandbox.kubeconfig, { mode: 0o600 });
  const davit = started.use(
    await startDavitProcess({
      config,
      kubeconfigPath,
      stateDirectory,
      listen: { host: '127.0.0.1', port: 0 },
      secrets: { [giteaTokenSecret]: gitea.adminToken },
      sweepIntervalMs: intervalMs,
      reconcileIntervalMs: intervalMs,
    }),
  );
  const running = started.move();
  return {
    gitea,
    proxy,
    davit,
    kills,
    webhookSecret: davit.webhookSecret,
    client: createGiteaClient(gitea),
    webhookUrl: () => `${davit.url}/webhooks/gitea`,
    podsMade: async () => history.created('pods'),
    podsLeft: async () => history.left().flatMap((name) => (name.startsWith('Pod ') ? [name.slice(4)] : [])),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
