import { randomUUID } from 'node:crypto';
import { readConfig } from '../../../../core/config/read-config.ts';
import { buildGitea } from '../gitea/build-gitea.ts';
import { createGiteaClient } from '../gitea/gitea-client.ts';
import { type Gitea, startGitea } from '../gitea/start-gitea.ts';
import { startKillRecorder } from './kill-recorder.ts';
import { giteaTokenSecret, giteaWebhookSecret, runnerImages, withQueue } from './queue-config.ts';
import type { QueueWorld } from './run-seed.ts';
import type { DavitProcess } from './start-davit-process.ts';
import { startKillableDavit } from './start-killable-davit.ts';
import { startTroubledProxy, type TroubledProxy } from './troubled-proxy.ts';

/** A real Gitea behind a proxy that injects faults, and a davit in a separate process, which tests may kill. */
export interface HardQueue extends QueueWorld, AsyncDisposable {
  gitea: Gitea;
  proxy: TroubledProxy;
  davit: DavitProcess;
  webhookUrl: () => string;
}

/** Starts them. Only repositories of this name may have agents. @param random from 0 to 1, for the faults */
export async function startHardQueue(
  say: (text: string) => void,
  repositories: string[],
  random: () => number,
): Promise<HardQueue> {
  await using started = new AsyncDisposableStack();
  const built = await buildGitea(say);
  const proxy = started.use(await startTroubledProxy(() => gitea.url, random));
  // Gitea names its jobs by its public URL.
  const gitea: Gitea = started.use(await startGitea(built, { rootUrl: proxy.url }));
  const kills = started.use(await startKillRecorder());
  const config = withQueue(await readConfig('davit.yaml'), proxy.url, { scope: 'repository', repositories });
  const webhookSecret = randomUUID();
  const secrets = { [giteaTokenSecret]: gitea.adminToken, [giteaWebhookSecret]: webhookSecret };
  const { davit, history } = started.use(await startKillableDavit(config, await runnerImages(kills.url), secrets));
  const running = started.move();
  return {
    gitea,
    proxy,
    davit,
    kills,
    webhookSecret,
    client: createGiteaClient(gitea),
    webhookUrl: () => `${davit.url}/webhooks/gitea`,
    podsMade: async () => history.created('pods'),
    podsLeft: async () => history.left().flatMap((name) => (name.startsWith('Pod ') ? [name.slice(4)] : [])),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
