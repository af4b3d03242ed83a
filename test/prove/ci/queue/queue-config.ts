import { delimiter, dirname } from 'node:path';
import { CiSystemConfig } from '../../../../core/ci/ci-system-config.ts';
import { type Config, Profile } from '../../../../core/config/config.ts';
import { buildActRunner } from '../../cluster/programs/programs.ts';
import { workloadLabels } from './workload.ts';

/** How long a connected agent may be idle before it is retired. */
const idleSeconds = 30;
/** The secret that holds davit's token for Gitea. */
export const giteaTokenSecret = 'gitea-token';

/** The secret that signs Gitea's webhooks. */
export const giteaWebhookSecret = 'gitea-webhook';
const runnerImage = 'davit.dev/act-runner';

/** The common fields of the queue's agent profiles, beside those that the workload's labels need. */
export type QueueProfile = Partial<Pick<Profile, 'scope' | 'repositories' | 'template'>>;

/** Adds a Gitea named `gitea` to a config, and registers its agents there, with a profile for each kind of job. */
export function withQueue(config: Config, giteaUrl: string, profile: QueueProfile = {}): Config {
  const gitea = {
    name: 'gitea',
    provider: 'gitea',
    url: giteaUrl,
    webhookSecret: giteaWebhookSecret,
    tokenSecret: giteaTokenSecret,
  };
  const profiles = Object.entries(workloadLabels).map(([name, labels]) =>
    Profile.parse({
      name,
      labels,
      clusters: config.clusters.map((cluster) => cluster.name),
      namespace: config.profiles[0]?.namespace,
      runner: 'gitea',
      idleSeconds,
      template: { spec: { containers: [{ name: 'agent', image: runnerImage }] } },
      ...profile,
    }),
  );
  return { ...config, ciSystems: [...config.ciSystems, CiSystemConfig.parse(gitea)], profiles };
}

/** The sandbox's image of Gitea's runner: the preset's script, and the tests' own act_runner. */
export async function runnerImages(killsUrl: string) {
  const path = [dirname(await buildActRunner()), process.env['PATH'] ?? ''].join(delimiter);
  const env = { PATH: path, TEST_KILLS_URL: killsUrl };
  return { [runnerImage]: { command: ['sh'], env } };
}
