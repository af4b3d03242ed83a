import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { createJoseIssuer } from '../../functions/adapters/jose/jose-credentials.ts';
import { agentNameOf } from '../../functions/domain/names.ts';
import { LOCAL_REGION } from '../../local/lambda/function-name.ts';
import type { Runtime } from '../../local/runtime/start-runtime.ts';

const lifetimeSeconds = 3600;

/** Reads a secret of a runtime's Secrets Manager. @throws Error when it is not there */
export async function readSecret({ services }: Pick<Runtime, 'services'>, SecretId: string): Promise<string> {
  const client = new SecretsManagerClient({
    endpoint: services.secretsManagerUrl,
    region: LOCAL_REGION,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId }));
  client.destroy();
  if (SecretString === undefined) throw new Error(`secret ${SecretId} is not text`);
  return SecretString;
}

/** Makes the credential that CreatePod gives the agent of a launch, for a test that plays that agent. */
export async function credentialOf(runtime: Pick<Runtime, 'services'>, launchId: string): Promise<string> {
  const key = await readSecret(runtime, runtime.services.credentialKeySecret);
  const issuer = createJoseIssuer({ readKey: async () => key, nowEpochMs: Date.now });
  return issuer.issue({ agentName: agentNameOf(launchId), launchId }, Math.floor(Date.now() / 1000) + lifetimeSeconds);
}
