import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetSecretValueCommand, ResourceNotFoundException } from '@aws-sdk/client-secrets-manager';
import { TerminalError } from '../../domain/errors.ts';
import type { SigningSecret, SigningSecrets } from '../../ports/signing-secrets.ts';
import { createAgedCache } from './aged-cache.ts';
import { callAws } from './to-transient.ts';

/** Reads secrets, and keeps them for a while. Any method may throw TransientError StoreUnavailable. */
export interface Secrets {
  /** Reads a secret, from memory if it was read less than the maximum age ago. @throws TerminalError SecretMissing */
  read(id: string): Promise<string>;
  /** Reads a secret anew, for a caller who was refused with the one it has. @throws TerminalError SecretMissing */
  refresh(id: string): Promise<string>;
  /** A secret that signatures are made and checked with, by its versions. */
  signing: (id: string) => SigningSecrets;
}

/** Where secrets are read, and how often. */
export interface SecretsOptions {
  client: SecretsManagerClient;
  /** How long a value is used before it is read again. @default 300 */
  maxAgeSeconds?: number;
  nowEpochMs?: () => number;
}

/** A version of a secret, as Secrets Manager has it. */
interface SecretVersion extends SigningSecret {
  createdAtEpochMs: number;
}

/**
 * How long the version before the current one is accepted: longer than any credential lives, seven hours. Secrets
 * Manager itself keeps it until the next rotation.
 */
const previousForMs = 24 * 60 * 60_000;

/**
 * How soon a secret that signatures are checked with is read again because one of them was wrong. Whatever rubbish is
 * sent, a function's process makes two calls in this time: 17,280 a day, at $0.05 for 10,000 less than $0.09.
 */
const leastRefreshMs = 10_000;

/** Until when a new version signs nothing: by then, everybody who meets it can have looked again, clocks 5 s apart. */
const notYetSigningMs = leastRefreshMs + 5000;

/** Reads secrets from Secrets Manager: needs secretsmanager:GetSecretValue on each. */
export function createSecrets({ client, maxAgeSeconds = 300, nowEpochMs = Date.now }: SecretsOptions): Secrets {
  const aging = { maxAgeMs: maxAgeSeconds * 1000, nowEpochMs };
  const texts = createAgedCache({ ...aging, load: async (id) => (await currentVersion(client, id)).text });
  const versions = createAgedCache<readonly SigningSecret[]>({
    ...aging,
    load: async (id, known) => {
      const found = await acceptedVersions(client, id, nowEpochMs());
      return known !== undefined && isSame(known, found) ? known : found;
    },
  });
  return {
    read: (id) => texts.get(id),
    refresh: (id) => texts.reload(id),
    signing: (id) => ({
      accepted: () => versions.get(id),
      refreshed: () => {
        const sinceLastMs = nowEpochMs() - (versions.lastLoadEpochMs(id) ?? 0);
        return sinceLastMs < leastRefreshMs ? versions.get(id) : versions.reload(id);
      },
    }),
  };
}

/** The version before is asked for while it is accepted only: mostly, there is one call to make. */
async function acceptedVersions(
  client: SecretsManagerClient,
  id: string,
  nowEpochMs: number,
): Promise<SecretVersion[]> {
  const current = await currentVersion(client, id);
  const ageMs = nowEpochMs - current.createdAtEpochMs;
  if (ageMs >= previousForMs) return [current];
  const previous = await versionAt(client, id, 'AWSPREVIOUS');
  if (previous === undefined) return [current];
  return ageMs < notYetSigningMs ? [previous, current] : [current, previous];
}

function isSame(ones: readonly SigningSecret[], others: readonly SigningSecret[]): boolean {
  return ones.length === others.length && ones.every(({ id }, index) => id === others[index]?.id);
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
  const command = new GetSecretValueCommand({ SecretId: id, VersionStage: stage });
  try {
    const found = await callAws('Secrets Manager GetSecretValue', () => client.send(command));
    if (found.SecretBinary !== undefined) throw secretMissing(id, 'expected text, found binary');
    if (!found.SecretString) return undefined;
    return {
      id: found.VersionId ?? '',
      text: found.SecretString,
      createdAtEpochMs: found.CreatedDate?.getTime() ?? 0,
    };
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

/** A mistake in the deployment, which no repetition mends. */
function secretMissing(id: string, says: string): TerminalError {
  return new TerminalError('SecretMissing', `secret ${id}: ${says}`);
}
