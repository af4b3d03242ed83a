import { GetParameterError, ParameterNotFoundError } from '@aws-lambda-powertools/parameters/errors';
import { SecretsProvider } from '@aws-lambda-powertools/parameters/secrets';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { TerminalError } from '../../domain/errors.ts';
import { callAws } from './to-transient.ts';

/** Reads secrets, and keeps them for a while. Any method may throw TransientError StoreUnavailable. */
export interface Secrets {
  /** Reads a secret, from memory if it was read less than the maximum age ago. @throws TerminalError SecretMissing */
  read(id: string): Promise<string>;
  /** Reads a secret anew, for a caller who was refused with the one it has. @throws TerminalError SecretMissing */
  refresh(id: string): Promise<string>;
}

/**
 * Reads secrets from Secrets Manager: needs secretsmanager:GetSecretValue on each.
 *
 * @param maxAgeSeconds how long a value is used before it is read again; a rotation is seen after this time
 * @default 300
 */
export function createSecrets(source: { client: SecretsManagerClient; maxAgeSeconds?: number }): Secrets {
  const provider = new SecretsProvider({ awsSdkV3Client: source.client });
  const maxAge = source.maxAgeSeconds ?? 300;
  return {
    read: (id) => readSecret(provider, id, { maxAge }),
    refresh: (id) => readSecret(provider, id, { maxAge, forceFetch: true }),
  };
}

async function readSecret(
  provider: SecretsProvider,
  id: string,
  options: { maxAge: number; forceFetch?: boolean },
): Promise<string> {
  const value = await callAws('Secrets Manager GetSecretValue', () => getSecretValue(provider, id, options));
  if (typeof value !== 'string') throw secretMissing(id, 'expected text, found binary');
  return value;
}

/** Powertools wraps what the SDK throws: the SDK's own error is taken out again. */
async function getSecretValue(
  provider: SecretsProvider,
  id: string,
  options: { maxAge: number; forceFetch?: boolean },
): Promise<string | Uint8Array> {
  try {
    return await provider.get(id, { ...options, throwOnMissing: true });
  } catch (error) {
    if (error instanceof ParameterNotFoundError) {
      throw secretMissing(id, 'there is none in Secrets Manager, or it has no value', { cause: error });
    }
    throw error instanceof GetParameterError ? error.cause : error;
  }
}

/** A mistake in the deployment, which no repetition mends. */
function secretMissing(id: string, says: string, options?: ErrorOptions): TerminalError {
  return new TerminalError('SecretMissing', `secret ${id}: ${says}`, {}, options);
}
