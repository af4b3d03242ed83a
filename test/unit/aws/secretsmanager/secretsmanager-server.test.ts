import {
  GetSecretValueCommand,
  ListSecretVersionIdsCommand,
  PutSecretValueCommand,
} from '@aws-sdk/client-secrets-manager';
import { startSecretsManagerServer } from '../../../aws/secretsmanager/secretsmanager-server.ts';
import { secretsClient } from '../fixtures/aws-clients.ts';

describe('a secret', () => {
  test('is found by its name, its ARN, and its ARN without the random suffix', async () => {
    await using server = await startSecretsManagerServer();
    const arn = server.putSecret('davit/key', 'value');
    const client = secretsClient(server.url);

    for (const SecretId of ['davit/key', arn, arn.slice(0, -7)]) {
      const secret = await client.send(new GetSecretValueCommand({ SecretId }));
      expect(secret).toMatchObject({
        Name: 'davit/key',
        ARN: arn,
        SecretString: 'value',
        VersionStages: ['AWSCURRENT'],
      });
    }
  });

  test('that does not exist is a ResourceNotFoundException', async () => {
    await using server = await startSecretsManagerServer();

    const sent = secretsClient(server.url).send(new GetSecretValueCommand({ SecretId: 'nobody' }));

    await expect(sent).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });
});

describe('PutSecretValue', () => {
  test('moves the stages: the current version becomes the previous one, and the earlier one loses its stage', async () => {
    await using server = await startSecretsManagerServer();
    const SecretId = server.putSecret('key', 'one');
    const client = secretsClient(server.url);

    await client.send(new PutSecretValueCommand({ SecretId, SecretString: 'two' }));
    await client.send(new PutSecretValueCommand({ SecretId, SecretBinary: Buffer.from('three') }));

    const current = await client.send(new GetSecretValueCommand({ SecretId }));
    const previous = await client.send(new GetSecretValueCommand({ SecretId, VersionStage: 'AWSPREVIOUS' }));
    const { Versions = [] } = await client.send(new ListSecretVersionIdsCommand({ SecretId }));
    expect(Buffer.from(current.SecretBinary ?? []).toString()).toBe('three');
    expect(previous.SecretString).toBe('two');
    expect(Versions.map(({ VersionId, VersionStages }) => [VersionId, VersionStages])).toEqual([
      [previous.VersionId, ['AWSPREVIOUS']],
      [current.VersionId, ['AWSCURRENT']],
    ]);
  });

  test('creates a version that can be read by its id', async () => {
    await using server = await startSecretsManagerServer();
    const SecretId = server.putSecret('key', 'one');
    const client = secretsClient(server.url);
    const { VersionId } = await client.send(new GetSecretValueCommand({ SecretId }));
    await client.send(new PutSecretValueCommand({ SecretId, SecretString: 'two' }));

    const first = await client.send(new GetSecretValueCommand({ SecretId, VersionId }));

    expect(first.SecretString).toBe('one');
    const wrongStage = client.send(new GetSecretValueCommand({ SecretId, VersionId, VersionStage: 'AWSCURRENT' }));
    await expect(wrongStage).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });

  test('is idempotent by its token, and refused with another value', async () => {
    await using server = await startSecretsManagerServer();
    const SecretId = server.putSecret('key', 'one');
    const client = secretsClient(server.url);
    const ClientRequestToken = 'a'.repeat(32);
    const put = (SecretString: string) =>
      client.send(new PutSecretValueCommand({ SecretId, SecretString, ClientRequestToken }));
    await put('two');

    expect((await put('two')).VersionId).toBe(ClientRequestToken);
    await expect(put('three')).rejects.toMatchObject({ name: 'ResourceExistsException' });
  });

  test('without a value is an InvalidParameterException', async () => {
    await using server = await startSecretsManagerServer();
    const SecretId = server.putSecret('key', 'one');

    const sent = secretsClient(server.url).send(new PutSecretValueCommand({ SecretId }));

    await expect(sent).rejects.toMatchObject({ name: 'InvalidParameterException' });
  });
});
