import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { newWebhookSecret } from '../../ci/webhook-secret.ts';
import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import { ciCredentialSecrets } from '../../core/ci/ci-systems.ts';
import type { Config } from '../../core/config/config.ts';
import { secretIn } from '../../core/secret-in.ts';
import type { LocalSecrets } from '../store/sqlite-secrets.ts';
import { accessTo, type ClusterAccess, type LocalCluster } from './start-cluster.ts';

/** Where secrets are kept. */
export type SecretKeeper = Pick<LocalSecrets, 'get' | 'put'>;

/** The name of the secret that signs agents' credentials. */
export const credentialKeySecret = 'davit-credential-key';

/**
 * Adapts the config for local use. Replaces the ARN of a secret by its name, because no account is behind it here.
 * Gives an EKS cluster the kubeconfig of its stand-in, like the other clusters.
 */
export function localConfigOf(config: Config): Config {
  return {
    ...config,
    clusters: config.clusters.map((cluster) =>
      'eks' in cluster
        ? { name: cluster.name, kubeconfigSecret: `davit-kubeconfig-${cluster.name}` }
        : { ...cluster, kubeconfigSecret: nameOf(cluster.kubeconfigSecret) },
    ),
    ciSystems: config.ciSystems.map(withSecretNames),
  };
}

/** Makes the missing secrets that the config names, and puts each cluster's kubeconfig into its secret. */
export function fillSecrets(keeper: SecretKeeper, config: Config, cluster: LocalCluster): void {
  ensure(keeper, credentialKeySecret, randomSecret);
  for (const { webhookSecret, provider } of config.ciSystems) {
    if (webhookSecret !== undefined) ensure(keeper, webhookSecret, () => newWebhookSecret(provider));
  }
  for (const [access, secrets] of kubeconfigSecrets(config, cluster)) {
    putKubeconfig(keeper, secrets, access.kubeconfig);
  }
}

/** The file of a secret, as `--secret` names it. */
export interface SecretFile {
  name: string;
  file: string;
}

/**
 * Reads the files of secrets.
 *
 * @returns the secrets, by their names
 * @throws Error that names the option, and the file that cannot be read or is empty
 */
export async function readSecretFiles(files: readonly SecretFile[]): Promise<Record<string, string>> {
  const read = files.map(async ({ name, file }) => {
    const text = await readFile(file, 'utf8').catch((cause: unknown) => {
      const words = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`--secret ${name}: the file cannot be read: ${words}`, { cause });
    });
    // A program that writes the file empties it first. The secret must not be empty meanwhile.
    if (secretIn(text) === '') throw new Error(`--secret ${name}: the file ${file} is empty`);
    return [name, secretIn(text)] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

/** Warns of each secret that is given and that nothing uses: its name may be misspelt. */
export function unusedSecrets(config: Config, files: readonly SecretFile[]): string[] {
  const { clusters, ciSystems } = localConfigOf(config);
  const used = new Set([
    credentialKeySecret,
    ...clusters.flatMap((cluster) => ('kubeconfigSecret' in cluster ? cluster.kubeconfigSecret : [])),
    ...ciSystems.flatMap((system) => [system.webhookSecret ?? [], ciCredentialSecrets(system)].flat()),
  ]);
  const names = [...used].filter((name) => name !== credentialKeySecret).join(', ');
  return files
    .filter(({ name }) => !used.has(name))
    .map(({ name }) => `warning: --secret ${name}: davit.yaml names no such secret. It names ${names}`);
}

/** Puts a kubeconfig into secrets. */
export function putKubeconfig(keeper: SecretKeeper, secrets: readonly string[], kubeconfig: string): void {
  for (const name of secrets) keeper.put(name, kubeconfig);
}

/** Returns the names of the secrets that hold each kubeconfig. */
export function kubeconfigSecrets({ clusters }: Config, local: LocalCluster): Map<ClusterAccess, string[]> {
  const withKubeconfig = clusters.filter((cluster) => 'kubeconfigSecret' in cluster);
  const grouped = Map.groupBy(withKubeconfig, ({ name }) => accessTo(local, name));
  return new Map([...grouped].map(([access, those]) => [access, those.map((cluster) => cluster.kubeconfigSecret)]));
}

/** Leaves out the clusters whose kubeconfig is given, so that none of davit's own replaces it. */
export function withoutSecrets(config: Config, given: Readonly<Record<string, string>>): Config {
  const known = givenKubeconfigs(config, Object.keys(given));
  return { ...config, clusters: config.clusters.filter(({ name }) => !Object.hasOwn(known, name)) };
}

/**
 * Finds the clusters whose kubeconfig is given as a secret.
 *
 * @param given the names of the secrets that are given
 * @returns the secret's name, by the cluster's
 */
export function givenKubeconfigs({ clusters }: Config, given: readonly string[]): Record<string, string> {
  const withKubeconfig = clusters.filter((cluster) => 'kubeconfigSecret' in cluster);
  const found = withKubeconfig.filter(({ kubeconfigSecret }) => given.includes(kubeconfigSecret));
  return Object.fromEntries(found.map(({ name, kubeconfigSecret }) => [name, kubeconfigSecret]));
}

/** Puts new values into secrets, by their names. Creates missing secrets. */
export function giveSecrets(keeper: SecretKeeper, values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) keeper.put(name, value);
}

/**
 * Reads the secret that signs a CI system's webhooks.
 *
 * @throws Error when the config has no such system, or davit takes no webhooks of it
 */
export function secretValue(keeper: SecretKeeper, ciSystems: readonly CiSystemConfig[], name: string): string {
  const system = ciSystems.find((candidate) => candidate.name === name);
  if (system === undefined) throw new Error(`the config has no CI system ${name}`);
  const { webhookSecret } = system;
  if (webhookSecret === undefined) throw new Error(`davit takes no webhooks of ${name}`);
  const secret = keeper.get(webhookSecret);
  if (secret === undefined) throw new Error(`secret ${webhookSecret} has no value`);
  return secret;
}

function withSecretNames(system: CiSystemConfig): CiSystemConfig {
  const named = { ...system };
  if (named.webhookSecret !== undefined) named.webhookSecret = nameOf(named.webhookSecret);
  if (named.provider === 'standard') return named;
  if (named.tokenSecret !== undefined) named.tokenSecret = nameOf(named.tokenSecret);
  if (named.provider !== 'github' || named.app === undefined) return named;
  return { ...named, app: { ...named.app, privateKeySecret: nameOf(named.app.privateKeySecret) } };
}

function nameOf(secretId: string): string {
  return /^arn:[^:]*:secretsmanager:[^:]*:[^:]*:secret:(.+?)(-[A-Za-z0-9]{6})?$/.exec(secretId)?.[1] ?? secretId;
}

/** Makes an unguessable secret. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

function ensure(keeper: SecretKeeper, name: string, make: () => string): void {
  if (keeper.get(name) === undefined) keeper.put(name, make());
}
