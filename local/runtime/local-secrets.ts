import { randomBytes } from 'node:crypto';
import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Config, WebhookConfig } from '../../functions/domain/config.ts';
import { LOCAL_REGION } from '../lambda/function-name.ts';
import type { SecretsManagerServer } from '../secretsmanager/secretsmanager-server.ts';

/** The name of the secret that agents' credentials are signed with. */
export const credentialKeySecret = 'davit-credential-key';

/** Gives the config with every secret named by its name: an ARN of another account means nothing here. */
export function withLocalSecretNames(config: Config): Config {
  return {
    ...config,
    clusters: config.clusters.map((cluster) => ({ ...cluster, kubeconfigSecret: nameOf(cluster.kubeconfigSecret) })),
    webhooks: config.webhooks.map((webhook) => ({ ...webhook, secret: nameOf(webhook.secret) })),
  };
}

/** Makes the secrets that the config names, where there are none yet, and gives every cluster this kubeconfig. */
export async function fillSecrets(server: SecretsManagerServer, config: Config, kubeconfig: string): Promise<void> {
  server.ensureSecret(credentialKeySecret, randomSecret);
  for (const { secret } of config.webhooks) server.ensureSecret(secret, randomSecret);
  const client = clientOf(server.url);
  for (const { kubeconfigSecret } of config.clusters) {
    server.ensureSecret(kubeconfigSecret, () => kubeconfig);
    await client.send(new PutSecretValueCommand({ SecretId: kubeconfigSecret, SecretString: kubeconfig }));
  }
  client.destroy();
}

/**
 * Reads the secret that a provider's webhooks are signed with.
 *
 * @throws Error when the config takes no webhooks from it
 */
export async function secretValue(url: string, webhooks: readonly WebhookConfig[], provider: string): Promise<string> {
  const webhook = webhooks.find((candidate) => candidate.provider === provider);
  if (webhook === undefined) throw new Error(`the config takes no webhooks from ${provider}`);
  const client = clientOf(url);
  const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: webhook.secret }));
  client.destroy();
  if (SecretString === undefined) throw new Error(`secret ${webhook.secret} is not text`);
  return SecretString;
}

function clientOf(endpoint: string): SecretsManagerClient {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return new SecretsManagerClient({ endpoint, region: LOCAL_REGION, credentials });
}

function nameOf(secretId: string): string {
  return /^arn:[^:]*:secretsmanager:[^:]*:[^:]*:secret:(.+?)(-[A-Za-z0-9]{6})?$/.exec(secretId)?.[1] ?? secretId;
}

function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}
