import { randomBytes } from 'node:crypto';
import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { CiSystemConfig } from '../../functions/domain/ci-system-config.ts';
import type { Config } from '../../functions/domain/config.ts';
import { LOCAL_REGION } from '../lambda/function-name.ts';
import type { SecretsManagerServer } from '../secretsmanager/secretsmanager-server.ts';

/** The name of the secret that agents' credentials are signed with. */
export const credentialKeySecret = 'davit-credential-key';

/**
 * Gives the config as it is used here: every secret is named by its name, since an ARN of another account means nothing,
 * and an EKS cluster is reached as the others are, by the kubeconfig of the cluster that takes its place.
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

/** Makes the secrets that the config names, where there are none yet, and puts this kubeconfig into every cluster's. */
export async function fillSecrets(server: SecretsManagerServer, config: Config, kubeconfig: string): Promise<void> {
  server.ensureSecret(credentialKeySecret, randomSecret);
  for (const { webhookSecret, provider } of config.ciSystems) {
    server.ensureSecret(webhookSecret, provider === 'standard' ? standardSecret : randomSecret);
  }
  for (const secret of kubeconfigSecrets(config)) server.ensureSecret(secret, () => kubeconfig);
  await putKubeconfig(server, config, kubeconfig);
}

/** Puts a kubeconfig into the secret of every cluster that has one. */
export async function putKubeconfig(server: SecretsService, config: Config, kubeconfig: string): Promise<void> {
  await putSecrets(server, Object.fromEntries(kubeconfigSecrets(config).map((name) => [name, kubeconfig])));
}

/** Gives secrets a new value each, by their names; one that does not exist is made. */
export async function giveSecrets(
  server: SecretsManagerServer,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, value] of Object.entries(values)) server.ensureSecret(name, () => value);
  await putSecrets(server, values);
}

async function putSecrets(server: SecretsService, values: Readonly<Record<string, string>>): Promise<void> {
  const client = clientOf(server);
  for (const [SecretId, SecretString] of Object.entries(values)) {
    await client.send(new PutSecretValueCommand({ SecretId, SecretString }));
  }
  client.destroy();
}

function kubeconfigSecrets({ clusters }: Config): string[] {
  return clusters.filter((cluster) => 'kubeconfigSecret' in cluster).map(({ kubeconfigSecret }) => kubeconfigSecret);
}

/**
 * Reads the secret that a CI system's webhooks are signed with.
 *
 * @throws Error when the config has no such system
 */
export async function secretValue(
  server: SecretsService,
  ciSystems: readonly CiSystemConfig[],
  name: string,
): Promise<string> {
  const system = ciSystems.find((candidate) => candidate.name === name);
  if (system === undefined) throw new Error(`the config has no CI system ${name}`);
  const client = clientOf(server);
  const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: system.webhookSecret }));
  client.destroy();
  if (SecretString === undefined) throw new Error(`secret ${system.webhookSecret} is not text`);
  return SecretString;
}

function withSecretNames(system: CiSystemConfig): CiSystemConfig {
  const named = { ...system, webhookSecret: nameOf(system.webhookSecret) };
  if (named.provider === 'standard') return named;
  if (named.tokenSecret !== undefined) named.tokenSecret = nameOf(named.tokenSecret);
  if (named.provider !== 'github' || named.app === undefined) return named;
  return { ...named, app: { ...named.app, privateKeySecret: nameOf(named.app.privateKeySecret) } };
}

type SecretsService = Pick<SecretsManagerServer, 'url' | 'secretAccessKey'>;

function clientOf({ url: endpoint, secretAccessKey }: SecretsService): SecretsManagerClient {
  const credentials = { accessKeyId: 'local', secretAccessKey };
  return new SecretsManagerClient({ endpoint, region: LOCAL_REGION, credentials });
}

function nameOf(secretId: string): string {
  return /^arn:[^:]*:secretsmanager:[^:]*:[^:]*:secret:(.+?)(-[A-Za-z0-9]{6})?$/.exec(secretId)?.[1] ?? secretId;
}

/** Makes a secret as Standard Webhooks has it. */
function standardSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** Makes a secret that nobody can guess. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}
