import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod';
import { createSecretsManagerClient } from '../../../adapters/aws/create-secrets.ts';
import { Config } from '../../../core/config/config.ts';
import { agentImages } from '../../../local/agent/image.ts';
import type { ImageTable } from '../../../sandbox/node/image-pull.ts';
import { localAws } from '../../support/aws/local-aws.ts';
import {
  type AwsTestRuntime,
  type AwsTestRuntimeOptions,
  startAwsTestRuntime,
} from '../../support/start-aws-test-runtime.ts';
import { type Recording, versionVariable } from './recording.ts';
import { resumable } from './resumable.ts';

/**
 * Starts today's davit with an earlier version's state machine, davit.yaml and signing key. A function that only that
 * version has is there for its state machine.
 */
export async function startOn(
  { definition, installation }: Recording,
  options: AwsTestRuntimeOptions = {},
): Promise<AwsTestRuntime> {
  const davit = await startAwsTestRuntime({
    ...options,
    changeConfig: () => Config.parse(installation.config),
    definition: resumable(definition),
    otherVersion: {
      folder: z.string().parse(process.env[versionVariable]),
      config: installation.config,
      isNext: () => false,
    },
    sandbox: { images: connectingImages(), node: { behaviour: { imagePullBackOff: { baseMs: 200, maxMs: 200 } } } },
  });
  const { secretsManagerUrl, secretAccessKey, credentialKeySecret: SecretId } = davit.runtime.services;
  const client = createSecretsManagerClient(localAws(secretsManagerUrl, secretAccessKey));
  const { credentialKey: SecretString, credentialKeyId: ClientRequestToken } = installation;
  // Secrets Manager makes the token the version's id, which the recorded credentials name.
  await client.send(new PutSecretValueCommand({ SecretId, SecretString, ClientRequestToken }));
  client.destroy();
  return davit;
}

/** Makes the agents connect; they were idle during the recording. */
function connectingImages(): ImageTable {
  const [agent] = Object.values(agentImages());
  if (agent === undefined) throw new Error('there is no reference agent');
  return { 'davit.dev/idle': agent };
}
