import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { LoopbackServer } from '../../../local/loopback-server.ts';
import { awsOperation, startAwsJsonServer } from '../aws-json-server.ts';
import { AwsServiceError } from '../aws-service-error.ts';
import { defaultSecretAccessKey } from '../request-signature.ts';
import { type Secret, type SecretVersion, withVersion } from './secret.ts';
import { SecretStore } from './secret-store.ts';

/** The settings of the local Secrets Manager. */
export interface SecretsManagerServerOptions {
  /** As in the AWS JSON server. */
  secretAccessKey?: string;
}

/** A running Secrets Manager. */
export interface SecretsManagerServer extends LoopbackServer {
  /** Gives a secret a new value. Creates the secret if it does not exist. Returns its ARN. */
  putSecret(name: string, value: string): string;
  /** Reads the current value of a secret. @throws AwsServiceError ResourceNotFoundException */
  readSecret(name: string): string | undefined;
  /** Whether there is one of this name. */
  hasSecret: (name: string) => boolean;
}

const SecretIdInput = z.object({ SecretId: z.string().min(1) });
const GetSecretValueInput = SecretIdInput.extend({
  VersionId: z.string().optional(),
  VersionStage: z.string().optional(),
});
const PutSecretValueInput = SecretIdInput.extend({
  ClientRequestToken: z.string().min(32).max(64).optional(),
  SecretString: z.string().optional(),
  SecretBinary: z.base64().optional(),
  VersionStages: z.array(z.string()).min(1).default(['AWSCURRENT']),
});

/** Serves GetSecretValue, PutSecretValue and ListSecretVersionIds. */
export async function startSecretsManagerServer(
  options: SecretsManagerServerOptions = {},
): Promise<SecretsManagerServer> {
  const store = new SecretStore();
  const { secretAccessKey = defaultSecretAccessKey } = options;

  function secretOf(secretId: string): Secret {
    const secret = store.find(secretId);
    if (secret) return secret;
    throw new AwsServiceError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
  }

  function put(secret: Secret, input: z.output<typeof PutSecretValueInput>): SecretVersion {
    const { ClientRequestToken = randomUUID(), SecretString, SecretBinary, VersionStages } = input;
    const content = { secretString: SecretString, secretBinary: SecretBinary };
    const existing = secret.versions.find(({ versionId }) => versionId === ClientRequestToken);
    if (existing) return sameVersion(existing, content);
    const version = { versionId: ClientRequestToken, stages: VersionStages, createdEpochMs: Date.now(), ...content };
    store.save(withVersion(secret, version));
    return version;
  }

  const server = await startAwsJsonServer({
    targetPrefix: 'secretsmanager',
    jsonVersion: '1.1',
    secretAccessKey,
    operations: {
      GetSecretValue: awsOperation(GetSecretValueInput, ({ SecretId, VersionId, VersionStage }) => {
        const secret = secretOf(SecretId);
        const version = findVersion(secret, VersionId, VersionStage);
        return {
          ...wireVersion(secret, version),
          SecretString: version.secretString,
          SecretBinary: version.secretBinary,
          CreatedDate: version.createdEpochMs / 1_000,
        };
      }),
      PutSecretValue: awsOperation(PutSecretValueInput, (input) => {
        if ((input.SecretString === undefined) === (input.SecretBinary === undefined)) {
          throw new AwsServiceError(
            'InvalidParameterException',
            'You must provide either SecretString or SecretBinary.',
          );
        }
        const secret = secretOf(input.SecretId);
        return wireVersion(secret, put(secret, input));
      }),
      ListSecretVersionIds: awsOperation(SecretIdInput, ({ SecretId }) => {
        const { arn, name, versions } = secretOf(SecretId);
        return {
          ARN: arn,
          Name: name,
          Versions: versions.map(({ versionId, stages, createdEpochMs }) => ({
            VersionId: versionId,
            VersionStages: stages,
            CreatedDate: createdEpochMs / 1_000,
          })),
        };
      }),
    },
  });

  function putSecret(name: string, value: string): string {
    const secret = store.find(name) ?? store.create(name);
    put(secret, { SecretId: name, SecretString: value, VersionStages: ['AWSCURRENT'] });
    return secret.arn;
  }

  const readSecret = (name: string) => findVersion(secretOf(name), undefined, undefined).secretString;
  const hasSecret = (name: string) => store.find(name) !== undefined;
  return { ...server, putSecret, readSecret, hasSecret };
}

function findVersion(secret: Secret, versionId: string | undefined, stage: string | undefined): SecretVersion {
  const wantedStage = stage ?? (versionId === undefined ? 'AWSCURRENT' : undefined);
  const version = secret.versions.find(
    (candidate) =>
      (versionId === undefined || candidate.versionId === versionId) &&
      (wantedStage === undefined || candidate.stages.includes(wantedStage)),
  );
  if (version) return version;
  const sought = versionId === undefined ? `staging label: ${wantedStage}` : `VersionId: ${versionId}`;
  const message = `Secrets Manager can't find the specified secret value for ${sought}`;
  throw new AwsServiceError('ResourceNotFoundException', message);
}

/** Returns the existing version for a repeated request. Refuses the same id with other content. */
function sameVersion(
  existing: SecretVersion,
  content: Pick<SecretVersion, 'secretString' | 'secretBinary'>,
): SecretVersion {
  const { secretString, secretBinary } = existing;
  if (secretString === content.secretString && secretBinary === content.secretBinary) return existing;
  const message = `You can't use ClientRequestToken ${existing.versionId} because that value is already in use for a version of the secret.`;
  throw new AwsServiceError('ResourceExistsException', message);
}

function wireVersion(secret: Secret, version: SecretVersion) {
  return { ARN: secret.arn, Name: secret.name, VersionId: version.versionId, VersionStages: version.stages };
}
