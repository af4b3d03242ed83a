import { followHistory } from '../../../support/followed-history.ts';
import { runnerImage } from '../../cluster/images/images.ts';
import { startDavit } from '../../cluster/start-davit.ts';
import { startTemporaryCluster } from '../../cluster/test-cluster.ts';
import { GiteaClient } from '../gitea/gitea-client.ts';
import { startGitea } from '../gitea/start-gitea.ts';
import { startKillRecorder } from './kill-recorder.ts';
import { giteaTokenSecret, withQueue } from './queue-config.ts';
import { podsIn, type QueueWorld } from './run-seed.ts';

/** A real Gitea, and a davit in this process whose agents are containers of a real Kubernetes. */
export interface ClusterQueue extends QueueWorld, AsyncDisposable {
  webhookUrl: () => string;
}

const intervalMs = 5000;

/** Starts them. Disposal removes the cluster. */
export async function startClusterQueue(): Promise<ClusterQueue> {
  await using started = new AsyncDisposableStack();
  const cluster = started.use(await startTemporaryCluster({ nodes: 2, kwokNodes: 0 }));
  const gitea = started.use(await startGitea({ host: cluster.hostIp }));
  const kills = started.use(await startKillRecorder(cluster.hostIp));
  const agent = { name: 'agent', image: runnerImage, env: [{ name: 'TEST_KILLS_URL', value: kills.url }] };
  const template = { spec: { terminationGracePeriodSeconds: 1, containers: [agent] } };
  const history = started.use(await followHistory(cluster.kubeconfig));
  const { runtime } = started.use(
    await startDavit(cluster, {
      changeConfig: (config) => withQueue(config, gitea.url, { template }),
      secrets: { [giteaTokenSecret]: gitea.adminToken },
      sweepIntervalMs: intervalMs,
      reconcileIntervalMs: intervalMs,
    }),
  );
  const webhookSecret = await runtime.webhookSecret('gitea');
  const running = started.move();
  return {
    kills,
    webhookSecret,
    client: new GiteaClient(gitea),
    webhookUrl: () => `${runtime.url}/webhooks/gitea`,
    podsMade: () => history.created('pods'),
    podsLeft: async () => podsIn(await history.left()),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
