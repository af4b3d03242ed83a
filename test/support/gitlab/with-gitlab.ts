import { gitlabPreset } from '../../../ci/gitlab/preset.ts';
import { Config } from '../../../core/config/config.ts';

/** A server that stands in for a GitLab, and how davit asks it. */
export interface AskedGitlab {
  url: string;
  /** @default the config's own */
  pollSeconds?: number;
  /** @default the config's own */
  settleSeconds?: number;
}

/**
 * Adds GitLab servers to a config, by the names of their CI systems, and a profile for their jobs. A server's secrets are
 * `hook-NAME` and `token-NAME`.
 *
 * @param environment of the agents: it leads to the stand-in for the runner's program
 */
export function withGitlab(
  config: Config,
  servers: Readonly<Record<string, AskedGitlab>>,
  environment: Readonly<Record<string, string>>,
): Config {
  const env = Object.entries(environment).map(([name, value]) => ({ name, value }));
  const systems = Object.entries(servers).map(([name, { url, pollSeconds, settleSeconds }]) => ({
    name,
    provider: 'gitlab',
    url,
    group: 'acme',
    webhookSecret: `hook-${name}`,
    tokenSecret: `token-${name}`,
    ...(pollSeconds === undefined ? {} : { pollSeconds }),
    ...(settleSeconds === undefined ? {} : { settleSeconds }),
  }));
  return Config.parse({
    ...config,
    ciSystems: [...config.ciSystems, ...systems],
    profiles: [
      {
        name: 'gitlab',
        labels: ['linux', 'docker'],
        clusters: ['sandbox'],
        namespace: 'davit-agents',
        runner: 'gitlab',
        template: { spec: { containers: [{ name: 'agent', image: gitlabPreset.image, env }] } },
      },
      ...config.profiles,
    ],
  });
}
