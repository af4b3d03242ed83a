import { forgejoPreset } from '../../../ci/forgejo/preset.ts';
import { Config } from '../../../core/config/config.ts';

/** A server that stands in for a Forgejo, and how davit polls it. */
export interface PolledForgejo {
  url: string;
  scope: string;
  /** @default the config's own */
  pollSeconds?: number;
}

/**
 * Adds Forgejo servers to a config, by the names of their CI systems, and a profile for their jobs. A server's secrets are
 * `hook-NAME` and `token-NAME`.
 *
 * @param environment of the agents: it leads to the runner's program
 */
export function withForgejo(
  config: Config,
  servers: Readonly<Record<string, PolledForgejo>>,
  environment: Readonly<Record<string, string>>,
): Config {
  const env = Object.entries(environment).map(([name, value]) => ({ name, value }));
  const systems = Object.entries(servers).map(([name, { url, scope, pollSeconds }]) => ({
    name,
    provider: 'forgejo',
    url,
    scope,
    webhookSecret: `hook-${name}`,
    tokenSecret: `token-${name}`,
    ...(pollSeconds === undefined ? {} : { pollSeconds }),
  }));
  return Config.parse({
    ...config,
    ciSystems: [...config.ciSystems, ...systems],
    profiles: [
      {
        name: 'forgejo',
        labels: ['linux', 'docker'],
        clusters: ['sandbox'],
        namespace: 'davit-agents',
        runner: 'forgejo',
        template: { spec: { containers: [{ name: 'agent', image: forgejoPreset.image, env }] } },
      },
      ...config.profiles,
    ],
  });
}
