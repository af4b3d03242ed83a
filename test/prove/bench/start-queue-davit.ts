import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WarmAgents } from '../../../core/agent/warm-agents.ts';
import { readConfig } from '../../../core/config/read-config.ts';
import { type Runtime, startRuntime } from '../../../local/runtime/start-runtime.ts';
import { reconcileIntervalMinutes, sweepIntervalMinutes } from '../../../runtime/function-settings.ts';
import { GiteaClient } from '../ci/gitea/gitea-client.ts';
import { type Gitea, startGitea } from '../ci/gitea/start-gitea.ts';
import { startKillRecorder } from '../ci/queue/kill-recorder.ts';
import { giteaTokenSecret, runnerImages, withQueue } from '../ci/queue/queue-config.ts';
import { until } from '../cluster/until.ts';
import { SandboxReady } from './burst/messages.ts';
import { startProgram } from './burst/start-program.ts';

/** A real Gitea, and a davit in this process whose cluster is a sandbox in another one. */
export interface QueueDavit extends AsyncDisposable {
  gitea: Gitea;
  client: GiteaClient;
  runtime: Runtime;
  /** The secret of davit's webhook for Gitea, and its URL. */
  webhookSecret: string;
  webhookUrl: () => string;
}

const asInstalled = {
  reconcileIntervalMs: reconcileIntervalMinutes * 60_000,
  sweepIntervalMs: sweepIntervalMinutes * 60_000,
};
/** A job at a time leaves no minute in which an idle agent is replaced. */
const oftener = { reconcileIntervalMs: 5000, sweepIntervalMs: 5000 };

/** Starts them. The first start builds Gitea. @param warm the agents that davit keeps for jobs labelled `linux` */
export async function startQueueDavit(warm: WarmAgents | undefined): Promise<QueueDavit> {
  await using started = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'davit-queue-'));
  started.defer(() => rm(directory, { recursive: true, force: true }));
  const gitea = started.use(await startGitea({ queueType: 'channel' }));
  const kills = started.use(await startKillRecorder());
  const images = await runnerImages(kills.url);
  const sandbox = started.use(await startProgram({ kind: 'sandbox', directory: join(directory, 'sandbox'), images }));
  const { kubeconfig } = SandboxReady.parse(sandbox.ready);
  const config = withQueue(await readConfig('davit.yaml'), gitea.url);
  const profiles = config.profiles.map((profile) =>
    warm !== undefined && profile.labels.join() === 'linux' ? { ...profile, warm } : profile,
  );
  const runtime = started.use(
    await startRuntime({
      config: { ...config, profiles },
      cluster: { kubeconfig, kubeconfigPath: join(directory, 'kubeconfig') },
      stateDirectory: join(directory, 'davit'),
      secrets: { [giteaTokenSecret]: gitea.adminToken },
      ...(warm === undefined ? asInstalled : oftener),
    }),
  );
  const webhookSecret = await runtime.webhookSecret('gitea');
  const running = started.move();
  return {
    gitea,
    client: new GiteaClient(gitea),
    runtime,
    webhookSecret,
    webhookUrl: () => `${runtime.url}/webhooks/gitea`,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Waits until this many agents are connected and idle. */
export async function untilIdle({ runtime }: QueueDavit, agents: number): Promise<void> {
  await until(`${agents} agents are idle`, 180_000, async () => {
    const page = await runtime.ports.launches.list({ statuses: ['connected'], limit: 100 });
    return (page?.launches ?? []).filter(({ runs }) => runs === undefined).length >= agents;
  });
}
