import { buildkitePreset } from '../../../ci/buildkite/preset.ts';
import { Config } from '../../../core/config/config.ts';

/** A server that stands in for Buildkite, and how davit polls it. */
export interface PolledBuildkite {
  url: string;
  queue: string;
  /** @default the config's own */
  pollSeconds?: number;
}

/**
 * Adds Buildkite servers to a config, by the names of their CI systems, and a profile for their jobs. A server's secrets
 * are `hook-NAME` and `token-NAME`.
 *
 * @param environment of the agents: it leads to the agent's program
 */
export function withBuildkite(
  config: Config,
  servers: Readonly<Record<string, PolledBuildkite>>,
  environment: Readonly<Record<string, string>>,
): Config {
  const env = Object.entries(environment).map(([name, value]) => ({ name, value }));
  const systems = Object.entries(servers).map(([name, { url, queue, pollSeconds }]) => ({
    name,
    provider: 'buildkite',
    url,
    organization: 'acme',
    queue,
    webhookSecret: `hook-${name}`,
    tokenSecret: `token-${name}`,
    ...(pollSeconds === undefined ? {} : { pollSeconds }),
  }));
  return Config.parse({
    ...config,
    ciSystems: [...config.ciSystems, ...systems],
    profiles: [
      {
        name: 'buildkite',
        labels: ['queue=default', 'os=linux'],
        clusters: ['sandbox'],
        namespace: 'davit-agents',
        runner: 'buildkite',
        template: { spec: { containers: [{ name: 'agent', image: buildkitePreset.image, env }] } },
      },
      ...config.profiles,
    ],
  });
}
