import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { createSecrets, createSecretsManagerClient } from '../../adapters/aws/create-secrets.ts';
import { localAws } from '../support/aws/local-aws.ts';
import { startSecretsManagerServer } from '../support/aws/secretsmanager/secretsmanager-server.ts';

const ending: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

/** Secrets without any, cached for longer than a test takes, and a way to create one or to give it a new value. */
async function makeSecrets() {
  const server = await startSecretsManagerServer();
  const client = new SecretsManagerClient({
    endpoint: server.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  ending.push(async () => {
    client.destroy();
    await server.stop();
  });
  return {
    secrets: createSecrets({ client: createSecretsManagerClient(localAws(server.url)) }),
    put: async (id: string, value: string) => {
      server.putSecret(id, value);
      await client.send(new PutSecretValueCommand({ SecretId: id, SecretString: value }));
    },
  };
}

describe('secrets (Secrets Manager)', () => {
  test('a secret has the value that was put, without the line break at the end of its file', async () => {
    const { secrets, put } = await makeSecrets();
    const value = '{"käse":"\\u0000 \\n🧀"}';

    await put('davit/webhook', `${value}\n`);

    expect(await secrets.read('davit/webhook')).toBe(value);
  });
});
