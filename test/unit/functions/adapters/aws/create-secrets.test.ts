import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterEach, expect, test } from '@jest/globals';
import type { Secrets } from '../../../../../functions/adapters/aws/create-secrets.ts';
import { createSecrets } from '../../../../../functions/adapters/aws/create-secrets.ts';
import { TransientError } from '../../../../../functions/domain/errors.ts';
import type { ScriptedAnswer, ScriptedAws } from '../../../../support/start-scripted-aws.ts';
import { awsError, awsOutput, startScriptedAws } from '../../../../support/start-scripted-aws.ts';

let service: ScriptedAws | undefined;
afterEach(async () => {
  await service?.stop();
  service = undefined;
});

async function secretsAnswered(answers: ScriptedAnswer[], maxAgeSeconds?: number): Promise<Secrets> {
  service = await startScriptedAws(answers);
  const client = new SecretsManagerClient({ ...service.clientConfig, maxAttempts: 1 });
  return createSecrets(maxAgeSeconds === undefined ? { client } : { client, maxAgeSeconds });
}

test('Secrets Manager is asked once for a secret that is read often', async () => {
  const secrets = await secretsAnswered([awsOutput({ SecretString: 'hunter2' })]);

  for (let count = 0; count < 5; count += 1) expect(await secrets.read('davit/webhook')).toBe('hunter2');

  expect(service?.requests.map(({ body }) => body)).toEqual(['{"SecretId":"davit/webhook"}']);
});

test('with a maximum age of 0 s nothing is kept', async () => {
  const secrets = await secretsAnswered([awsOutput({ SecretString: 'old' }), awsOutput({ SecretString: 'new' })], 0);

  expect(await secrets.read('davit/webhook')).toBe('old');
  expect(await secrets.read('davit/webhook')).toBe('new');
});

test('a service that throttles is a TransientError, and asked again at the next read', async () => {
  const secrets = await secretsAnswered([
    awsError(400, 'ThrottlingException', 'Rate exceeded'),
    awsOutput({ SecretString: 'hunter2' }),
  ]);

  await expect(secrets.read('davit/webhook')).rejects.toThrow(TransientError);
  expect(await secrets.read('davit/webhook')).toBe('hunter2');
});

test('a refusal is thrown as the SDK’s own error', async () => {
  const secrets = await secretsAnswered([awsError(400, 'AccessDeniedException', 'not authorized to perform')]);

  await expect(secrets.read('davit/webhook')).rejects.toMatchObject({ name: 'AccessDeniedException' });
});

test('a binary secret is not text', async () => {
  const secrets = await secretsAnswered([awsOutput({ SecretBinary: 'aHVudGVyMg==' })]);

  const read = secrets.read('davit/webhook');

  await expect(read).rejects.toMatchObject({ name: 'TerminalError', code: 'SecretMissing' });
  await expect(read).rejects.toThrow('secret davit/webhook: expected text, found binary');
});

test('an empty secret is no secret', async () => {
  const secrets = await secretsAnswered([awsOutput({ SecretString: '' })]);

  await expect(secrets.read('davit/webhook')).rejects.toMatchObject({ name: 'TerminalError', code: 'SecretMissing' });
});
