import { GetSecretValueCommand, PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { startSecretsManagerServer } from '../../../support/aws/secretsmanager/secretsmanager-server.ts';
import { secretsClient } from '../fixtures/aws-clients.ts';

const SecretId = 'key';

test('a new value, with the id that its request gives it, makes the one before it the previous one', async () => {
  await using server = await startSecretsManagerServer();
  const client = secretsClient(server.url);
  const ClientRequestToken = 'a'.repeat(32);
  server.putSecret(SecretId, 'one');
  await client.send(new PutSecretValueCommand({ SecretId, SecretString: 'two' }));
  await client.send(new PutSecretValueCommand({ SecretId, SecretString: 'three', ClientRequestToken }));

  const current = await client.send(new GetSecretValueCommand({ SecretId, VersionStage: 'AWSCURRENT' }));
  const previous = await client.send(new GetSecretValueCommand({ SecretId, VersionStage: 'AWSPREVIOUS' }));

  expect(current).toMatchObject({ SecretString: 'three', VersionId: ClientRequestToken });
  expect(previous).toMatchObject({ SecretString: 'two', VersionId: expect.stringMatching(/^[\da-f-]{36}$/) });
  expect(server.readSecret(SecretId)).toBe('three');
});

test('what does not exist is a ResourceNotFoundException: a secret, or its previous value', async () => {
  await using server = await startSecretsManagerServer();
  const client = secretsClient(server.url);
  server.putSecret(SecretId, 'one');

  const sent = [
    client.send(new GetSecretValueCommand({ SecretId, VersionStage: 'AWSPREVIOUS' })),
    client.send(new GetSecretValueCommand({ SecretId: 'nobody', VersionStage: 'AWSCURRENT' })),
    client.send(new PutSecretValueCommand({ SecretId: 'nobody', SecretString: 'one' })),
  ];

  for (const each of sent) await expect(each).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
});
