import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { createSecrets, createSecretsManagerClient } from '../../adapters/aws/create-secrets.ts';
import { localAws } from '../support/aws/local-aws.ts';
import { startSecretsManagerServer } from '../support/aws/secretsmanager/secretsmanager-server.ts';
import { describeSecrets } from './secrets.contract.ts';

const ending: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

describeSecrets('Secrets Manager', async () => {
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
    async put(id, value) {
      server.putSecret(id, value);
      await client.send(new PutSecretValueCommand({ SecretId: id, SecretString: value }));
    },
  };
});
