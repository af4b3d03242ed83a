import { startTestRuntime, type TestRuntime } from '../../../support/start-test-runtime.ts';
import { GiteaClient } from '../gitea/gitea-client.ts';
import { type Gitea, startGitea } from '../gitea/start-gitea.ts';
import { startKillRecorder } from './kill-recorder.ts';
import { giteaTokenSecret, runnerImages, withQueue } from './queue-config.ts';
import { podsIn, type QueueWorld } from './run-seed.ts';

/** A real Gitea, and a davit in this process with the sandbox as its cluster. */
export interface LocalQueue extends QueueWorld, AsyncDisposable {
  gitea: Gitea;
  davit: TestRuntime;
  /** davit's own URL for Gitea's webhooks. */
  webhookUrl: () => string;
}

/** The pause between two sweeps, in milliseconds, so that a test sees them soon. */
const intervalMs = 5000;

/**
 * Starts them. The first start builds Gitea.
 *
 * @param options.reconcileIntervalMs the pause between two reconciles. @default that between two sweeps
 */
export async function startLocalQueue({ reconcileIntervalMs = intervalMs } = {}): Promise<LocalQueue> {
  await using started = new AsyncDisposableStack();
  const gitea = started.use(await startGitea());
  const kills = started.use(await startKillRecorder());
  const davit = started.use(
    await startTestRuntime({
      changeConfig: (config) => withQueue(config, gitea.url),
      secrets: { [giteaTokenSecret]: gitea.adminToken },
      reconcileIntervalMs,
      sweepIntervalMs: intervalMs,
      sandbox: { images: await runnerImages(kills.url) },
    }),
  );
  const webhookSecret = await davit.runtime.webhookSecret('gitea');
  const running = started.move();
  return {
    gitea,
    davit,
    kills,
    webhookSecret,
    client: new GiteaClient(gitea),
    webhookUrl: () => `${davit.runtime.url}/webhooks/gitea`,
    podsMade: async () => davit.history.created('pods'),
    podsLeft: async () => podsIn(davit.history.left()),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
