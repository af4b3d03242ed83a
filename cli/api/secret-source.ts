import { readFile } from 'node:fs/promises';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { createSecrets } from '../../adapters/aws/create-secrets.ts';
import { secretIn } from '../../core/secret-in.ts';
import { readSecret } from '../../local/store/read-store.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { Target } from './target.ts';

/** A secret, or another thing that davit keeps, in a place that the command cannot read now. */
export class KeptElsewhere extends Error {
  override readonly name = 'KeptElsewhere';
}

/** Reads a secret by its name or ARN. @throws KeptElsewhere; Error when there is none, or the caller may not read it */
export type ReadSecret = (id: string) => Promise<string>;

/** Reads davit's secrets. */
export interface SecretSource {
  read: ReadSecret;
  /** Reads a secret anew. */
  refresh: ReadSecret;
}

/** Where a command looks for secrets. */
export interface SecretPlaces {
  target: Target;
  /** Whether a local davit runs with the state directory. */
  isLocal: boolean;
  state: string;
  region: string | undefined;
  /** Files that stand in for secrets, by the secrets' names in davit.yaml. */
  files: Readonly<Record<string, string>>;
}

/** Reads secrets from the caller's files, or otherwise from where davit keeps them. */
export function openSecretSource({ target, isLocal, state, region, files }: SecretPlaces): SecretSource {
  const kept = target.kind === 'stack' ? awsSecrets(region) : localSecrets(state, isLocal);
  const readWith =
    (otherwise: ReadSecret): ReadSecret =>
    async (id) => {
      const file = files[id];
      return file === undefined ? otherwise(id) : secretIn(await readFile(file, 'utf8'));
    };
  return { read: readWith((id) => kept.read(id)), refresh: readWith((id) => kept.refresh(id)) };
}

/** The secrets of a deployed davit. */
export function awsSecrets(region?: string): Secrets {
  return createSecrets({ client: new SecretsManagerClient(region === undefined ? {} : { region }) });
}

function localSecrets(state: string, isLocal: boolean): SecretSource {
  const read = isLocal ? async (id: string) => readSecret(state, id) : notHere;
  return { read, refresh: read };
}

async function notHere(id: string): Promise<never> {
  throw new KeptElsewhere(`no davit runs here that has it; --secret ${id}=FILE shows it`);
}
