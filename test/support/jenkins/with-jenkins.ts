import { jenkinsPreset } from '../../../ci/jenkins/preset.ts';
import { Config } from '../../../core/config/config.ts';

/** A server that stands in for a Jenkins, and how often davit polls it. */
export interface PolledServer {
  url: string;
  user: { name: string };
  /** @default the config's own */
  pollSeconds?: number;
}

/**
 * Adds Jenkins servers to a config, by the names of their CI systems, and a profile for their jobs. A server's secrets are
 * `hook-NAME` and `token-NAME`.
 *
 * @param environment of the agents: it leads to the stand-in for the agent's program
 */
export function withJenkins(
  config: Config,
  servers: Readonly<Record<string, PolledServer>>,
  environment: Readonly<Record<string, string>>,
): Config {
  const env = Object.entries(environment).map(([name, value]) => ({ name, value }));
  const systems = Object.entries(servers).map(([name, { url, user, pollSeconds }]) => ({
    name,
    provider: 'jenkins',
    url,
    user: user.name,
    webhookSecret: `hook-${name}`,
    tokenSecret: `token-${name}`,
    ...(pollSeconds === undefined ? {} : { pollSeconds }),
  }));
  return Config.parse({
    ...config,
    ciSystems: [...config.ciSystems, ...systems],
    profiles: [
      {
        name: 'jenkins',
        labels: ['linux', 'docker'],
        clusters: ['sandbox'],
        namespace: 'davit-agents',
        runner: 'jenkins',
        template: { spec: { containers: [{ name: 'agent', image: jenkinsPreset.image, env }] } },
      },
      ...config.profiles,
    ],
  });
}
