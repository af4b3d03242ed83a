import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { LoopbackServer } from '../../../../local/loopback-server.ts';
import { awsOperation, startAwsJsonServer } from '../aws-json-server.ts';
import { AwsServiceError } from '../aws-service-error.ts';
import { defaultSecretAccessKey } from '../request-signature.ts';

/** The settings of the local Secrets Manager. */
export interface SecretsManagerServerOptions {
  /** As in the AWS JSON server. */
  secretAccessKey?: string;
}

/** A running Secrets Manager. */
export interface SecretsManagerServer extends LoopbackServer {
  /** Gives a secret a new value. Creates the secret if it does not exist. */
  putSecret: (name: string, value: string) => void;
  /** Reads the current value of a secret. */
  readSecret: (name: string) => string | undefined;
}

interface SecretVersion {
  versionId: string;
  createdEpochMs: number;
  text: string;
}

/** A secret's latest version, and the one before it. AWS can delete every other version at any time. */
const stages = ['AWSCURRENT', 'AWSPREVIOUS'] as const;

const GetSecretValueInput = z.object({ SecretId: z.string().min(1), VersionStage: z.enum(stages) });
const PutSecretValueInput = z.object({
  SecretId: z.string().min(1),
  ClientRequestToken: z.string().min(32).max(64),
  SecretString: z.string(),
});

/** Serves GetSecretValue by name and stage, and PutSecretValue with a text. */
export async function startSecretsManagerServer(
  options: SecretsManagerServerOptions = {},
): Promise<SecretsManagerServer> {
  const { secretAccessKey = defaultSecretAccessKey } = options;
  const secrets = new Map<string, readonly SecretVersion[]>();

  function put(name: string, text: string, versionId: string): void {
    const version = { versionId, text, createdEpochMs: Date.now() };
    secrets.set(name, [version, ...(secrets.get(name) ?? [])].slice(0, stages.length));
  }

  const server = await startAwsJsonServer({
    targetPrefix: 'secretsmanager',
    jsonVersion: '1.1',
    secretAccessKey,
    operations: {
      GetSecretValue: awsOperation(GetSecretValueInput, ({ SecretId, VersionStage }) => {
        const version = secrets.get(SecretId)?.[stages.indexOf(VersionStage)];
        if (version === undefined) throw notFound(`the secret ${SecretId} with staging label: ${VersionStage}`);
        const { versionId, text, createdEpochMs } = version;
        return { Name: SecretId, VersionId: versionId, SecretString: text, CreatedDate: createdEpochMs / 1000 };
      }),
      PutSecretValue: awsOperation(PutSecretValueInput, ({ SecretId, ClientRequestToken, SecretString }) => {
        if (!secrets.has(SecretId)) throw notFound(`the secret ${SecretId}`);
        put(SecretId, SecretString, ClientRequestToken);
        return { Name: SecretId, VersionId: ClientRequestToken };
      }),
    },
  });
  return {
    ...server,
    putSecret: (name, value) => put(name, value, randomUUID()),
    readSecret: (name) => secrets.get(name)?.[0]?.text,
  };
}

function notFound(what: string): AwsServiceError {
  return new AwsServiceError('ResourceNotFoundException', `Secrets Manager can't find ${what}.`);
}
