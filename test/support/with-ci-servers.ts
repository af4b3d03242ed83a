import { presets } from '../../core/agent/runner-preset.ts';
import type { RunnerProvider } from '../../core/ci/ci-system-config.ts';
import { Config } from '../../core/config/config.ts';
import { present } from '../../core/present.ts';

/** CI servers of one kind, and the agents for their jobs. */
export interface CiServers {
  provider: RunnerProvider;
  /** The keys of each one's entry in `davit.yaml` without its secrets, by the name of the CI system. */
  servers: Readonly<Record<string, Readonly<Record<string, string | number>>>>;
  /** The labels of their jobs. */
  labels: readonly string[];
  /** Of the agents: it leads to their program. */
  environment: Readonly<Record<string, string>>;
  /** Of the agents. @default their preset's */
  command?: readonly string[];
}

/**
 * Adds CI servers to a config, and a profile for their jobs, which has the name of their kind. A server's secrets are
 * `hook-NAME` and `token-NAME`.
 */
export function withCiServers(config: Config, { provider, servers, labels, environment, command }: CiServers): Config {
  const env = Object.entries(environment).map(([name, value]) => ({ name, value }));
  const systems = Object.entries(servers).map(([name, entry]) => ({
    ...entry,
    name,
    provider,
    webhookSecret: `hook-${name}`,
    tokenSecret: `token-${name}`,
  }));
  const profile = {
    name: provider,
    labels,
    clusters: ['sandbox'],
    namespace: 'davit-agents',
    runner: provider,
    template: {
      spec: { containers: [{ name: 'agent', image: presets[provider].image, env, ...present({ command }) }] },
    },
  };
  return Config.parse({
    ...config,
    ciSystems: [...config.ciSystems, ...systems],
    profiles: [profile, ...config.profiles],
  });
}
