import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { TerminalError } from '../../core/errors/errors.ts';
import { secretIn } from '../../core/secret-in.ts';
import type { Secrets } from '../../ports/secrets.ts';
import { createAgedCache } from '../../runtime/aged-cache.ts';
import { createSigningSecrets, type SecretVersion } from '../../runtime/signing/create-signing-secrets.ts';
import { type AwsSettings, clientSettings, davitErrors } from './client-settings.ts';

/** Where secrets are read, and how often. */
export interface SecretsOptions {
  client: SecretsManagerClient;
  /** How long a value is used before it is read again. @default 300 */
  maxAgeSeconds?: number;
  nowEpochMs?: () => number;
}

/** Makes a client of Secrets Manager. */
export function createSecretsManagerClient(settings?: AwsSettings): SecretsManagerClient {
  const client = new SecretsManagerClient(clientSettings(settings));
  client.middlewareStack.use(davitErrors());
  return client;
}

/** Reads secrets from Secrets Manager: needs secretsmanager:GetSecretValue on each. */
export function createSecrets({ client, maxAgeSeconds = 300, nowEpochMs = Date.now }: SecretsOptions): Secrets {
  const aging = { maxAgeMs: maxAgeSeconds * 1000, nowEpochMs };
  const texts = createAgedCache({ ...aging, load: async (id) => (await currentVersion(client, id)).text });
  const signing = createSigningSecrets({
    ...aging,
    current: (id) => currentVersion(client, id),
    previous: (id) => versionAt(client, id, 'AWSPREVIOUS'),
  });
  return { read: (id) => texts.get(id), refresh: (id) => texts.reload(id), signing };
}

async function currentVersion(client: SecretsManagerClient, id: string): Promise<SecretVersion> {
  const current = await versionAt(client, id, 'AWSCURRENT');
  if (current !== undefined) return current;
  throw secretMissing(id, 'there is none in Secrets Manager, or it has no value');
}

/** @returns undefined when there is no such secret, or no version of it at that stage */
async function versionAt(
  client: SecretsManagerClient,
  id: string,
  stage: 'AWSCURRENT' | 'AWSPREVIOUS',
): Promise<SecretVersion | undefined> {
  try {
    const found = await client.send(new GetSecretValueCommand({ SecretId: id, VersionStage: stage }));
    if (found.SecretBinary !== undefined) throw secretMissing(id, 'expected text, found binary');
    const text = secretIn(found.SecretString ?? '');
    if (text === '') return undefined;
    return { id: found.VersionId ?? '', text, createdAtEpochMs: found.CreatedDate?.getTime() ?? 0 };
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

/** A mistake in the deployment: a repetition does not help. */
function secretMissing(id: string, detail: string): TerminalError {
  return new TerminalError('SecretMissing', `secret ${id}: ${detail}`);
}
