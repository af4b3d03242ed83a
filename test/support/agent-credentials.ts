import { randomUUID } from 'node:crypto';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod';
import { createSecrets, createSecretsManagerClient } from '../../functions/adapters/aws/create-secrets.ts';
import { createJoseIssuer } from '../../functions/adapters/jose/jose-credentials.ts';
import { agentNameOf } from '../../functions/domain/names.ts';
import { LOCAL_REGION } from '../../local/lambda/function-name.ts';
import { localAws } from '../../local/local-aws.ts';
import type { Runtime } from '../../local/runtime/start-runtime.ts';
import type { KubeObject } from '../../sandbox/cluster-store.ts';

const lifetimeSeconds = 3600;

const EnvVar = z.object({ name: z.string(), value: z.string().optional() });
const AgentSpec = z.object({ containers: z.array(z.object({ env: z.array(EnvVar).optional() })) });

/** Reads a secret from a runtime's Secrets Manager. @throws Error when the secret does not exist */
export async function readSecret(runtime: Pick<Runtime, 'services'>, SecretId: string): Promise<string> {
  const client = secretsClient(runtime);
  const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId }));
  client.destroy();
  if (SecretString === undefined) throw new Error(`secret ${SecretId} is not text`);
  return SecretString;
}

/** Makes a client for a runtime's Secrets Manager; the caller destroys it. */
export function secretsClient({ services }: Pick<Runtime, 'services'>): SecretsManagerClient {
  return new SecretsManagerClient({
    endpoint: services.secretsManagerUrl,
    region: LOCAL_REGION,
    credentials: { accessKeyId: 'local', secretAccessKey: services.secretAccessKey },
  });
}

/** Reads an agent's credential from its Pod; undefined before the credential exists. */
export function credentialInPod(
  { history }: { history: { changes: readonly { resource: string; object: KubeObject }[] } },
  agentName: string,
): string | undefined {
  const pod = history.changes.findLast(
    ({ resource, object }) => resource === 'pods' && object.metadata.name === agentName,
  );
  const env = AgentSpec.safeParse(pod?.object['spec']).data?.containers.flatMap((container) => container.env ?? []);
  return env?.find(({ name }) => name === 'DAVIT_CREDENTIAL')?.value;
}

/**
 * Makes an agent credential as CreatePod does, but for no Pod.
 *
 * @param ageMs the age to give the credential
 */
export async function credentialOf(runtime: Pick<Runtime, 'services'>, launchId: string, ageMs = 0): Promise<string> {
  const { secretsManagerUrl, secretAccessKey } = runtime.services;
  const client = createSecretsManagerClient(localAws(secretsManagerUrl, secretAccessKey));
  const keys = createSecrets({ client }).signing(runtime.services.credentialKeySecret);
  const issuer = createJoseIssuer({ keys, nowEpochMs: () => Date.now() - ageMs });
  const identity = { agentName: agentNameOf(launchId), launchId, credentialId: randomUUID() };
  return await issuer.issue(identity, Math.floor(Date.now() / 1000) + lifetimeSeconds);
}
