import { chmod, mkdtemp, readdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  GetSecretValueCommand,
  ListSecretVersionIdsCommand,
  PutSecretValueCommand,
} from '@aws-sdk/client-secrets-manager';
import { startSecretsManagerServer } from '../../../aws/secretsmanager/secretsmanager-server.ts';
import { secretsClient } from '../fixtures/aws-clients.ts';

const newDirectory = async () => join(await mkdtemp(join(tmpdir(), 'davit-secrets-')), 'secrets');

describe('a secret', () => {
  test('is found by its name, its ARN, and its ARN without the random suffix', async () => {
    await using server = await startSecretsManagerServer();
    const arn = server.ensureSecret('davit/key', () => 'value');
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

  test('is created once, and survives a restart', async () => {
    const directory = await newDirectory();
    const first = await startSecretsManagerServer({ directory });
    const arn = first.ensureSecret('davit/key', () => 'first');
    await first.stop();

    await using second = await startSecretsManagerServer({ directory });

    expect(second.ensureSecret('davit/key', () => 'second')).toBe(arn);
    const secret = await secretsClient(second.url).send(new GetSecretValueCommand({ SecretId: arn }));
    expect(secret.SecretString).toBe('first');
  });

  test('is in a file that only its owner can read', async () => {
    const directory = await newDirectory();
    await using server = await startSecretsManagerServer({ directory });

    server.ensureSecret('davit/key', () => 'value');

    const [fileName = ''] = await readdir(directory);
    expect(fileName).toBe('davit%2Fkey.json');
    expect((await stat(join(directory, fileName))).mode & 0o777).toBe(0o600);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
  });

  test('with an unreadable file is named at the start', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'davit-secrets-'));
    await chmod(directory, 0o700);
    await writeFile(join(directory, 'broken.json'), '{"name":1}');

    await expect(startSecretsManagerServer({ directory })).rejects.toThrow(
      `${join(directory, 'broken.json')} is not a secret`,
    );
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
    const SecretId = server.ensureSecret('key', () => 'one');
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
    const SecretId = server.ensureSecret('key', () => 'one');
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
    const SecretId = server.ensureSecret('key', () => 'one');
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
    const SecretId = server.ensureSecret('key', () => 'one');

    const sent = secretsClient(server.url).send(new PutSecretValueCommand({ SecretId }));

    await expect(sent).rejects.toMatchObject({ name: 'InvalidParameterException' });
  });
});
