import { openCiSystems } from '../../ci/open-ci-systems.ts';
import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { Config } from '../../core/config/config.ts';
import { readConfig } from '../../core/config/read-config.ts';
import { localConfigOf } from '../../local/runtime/local-secrets.ts';
import type { Terminal } from '../terminal.ts';
import type { ConnectionOptions } from './connection.ts';
import { installationIdReader } from './installation-id.ts';
import { openSecretSource, type SecretSource } from './secret-source.ts';
import { type Target, targetOf } from './target.ts';

/** The options of a command that acts in CI systems as its davit does. */
export interface ConfigOptions extends Omit<ConnectionOptions, 'token'> {
  config: string;
  /** Files of secrets, by the names in davit.yaml. */
  secret: Readonly<Record<string, string>>;
}

/** A davit.yaml as its davit has it, and what that davit keeps. */
export interface OpenConfig {
  target: Target;
  config: Config;
  secrets: SecretSource;
  /** Opens CI systems by davit's own credentials. @param timeoutMs how long a request may take @default 10 s */
  open: (systems: readonly CiSystemConfig[], timeoutMs?: number) => ReturnType<typeof openCiSystems>;
}

/** Reads a command's davit.yaml, and finds its secrets. @throws ConfigError; CliError as `targetOf` */
export async function openConfig(options: ConfigOptions, { env }: Pick<Terminal, 'env'>): Promise<OpenConfig> {
  const { state, region, secret: files } = options;
  const target = targetOf(options, env);
  const written = await readConfig(options.config);
  const kept = { target, isLocal: target.kind === 'state', state, region };
  const secrets = openSecretSource({ ...kept, files });
  const readInstallationId = installationIdReader(kept);
  return {
    target,
    config: target.kind === 'stack' ? written : localConfigOf(written),
    secrets,
    open: (systems, timeoutMs = 10_000) => openCiSystems({ systems, secrets, readInstallationId, timeoutMs }),
  };
}
