import type { WarmAgents } from '../../../../core/agent/warm-agents.ts';
import type { Config } from '../../../../core/config/config.ts';
import { startTestRuntime, type TestRuntime } from '../../../support/start-test-runtime.ts';
import { until } from '../../cluster/until.ts';
import { GiteaClient } from '../gitea/gitea-client.ts';
import { type Gitea, type GiteaOptions, startGitea } from '../gitea/start-gitea.ts';
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

/** The differences from an ordinary queue. */
export interface LocalQueueOptions extends Pick<GiteaOptions, 'queueType'> {
  /** The pauses between two reconciles and between two sweeps, in milliseconds. @default 5000, so that a test sees them soon */
  reconcileIntervalMs?: number;
  sweepIntervalMs?: number;
  /** The number of idle agents for jobs labelled `linux`. @default none */
  warm?: WarmAgents;
}

const intervalMs = 5000;

/** Starts them. The first start builds Gitea. */
export async function startLocalQueue({
  reconcileIntervalMs = intervalMs,
  sweepIntervalMs = intervalMs,
  warm,
  ...giteaOptions
}: LocalQueueOptions = {}): Promise<LocalQueue> {
  await using started = new AsyncDisposableStack();
  const gitea = started.use(await startGitea(giteaOptions));
  const kills = started.use(await startKillRecorder());
  const davit = started.use(
    await startTestRuntime({
      changeConfig: (config) => withWarmLinux(withQueue(config, gitea.url), warm),
      secrets: { [giteaTokenSecret]: gitea.adminToken },
      reconcileIntervalMs,
      sweepIntervalMs,
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

function withWarmLinux(config: Config, warm: WarmAgents | undefined): Config {
  if (warm === undefined) return config;
  const profiles = config.profiles.map((profile) => (isLinux(profile) ? { ...profile, warm } : profile));
  return { ...config, profiles };
}

function isLinux({ labels }: Config['profiles'][number]): boolean {
  return labels.join() === 'linux';
}

/** Waits until this many agents are connected and idle. */
export async function untilIdle({ davit }: Pick<LocalQueue, 'davit'>, agents: number): Promise<void> {
  await until(`${agents} agents are idle`, 180_000, async () => {
    const page = await davit.runtime.ports.launches.list({ statuses: ['connected'], limit: 100 });
    return (page?.launches ?? []).filter(({ runs }) => runs === undefined).length >= agents;
  });
}
