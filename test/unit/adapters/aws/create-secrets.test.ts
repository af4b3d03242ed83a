import { createSecrets, createSecretsManagerClient } from '../../../../adapters/aws/create-secrets.ts';
import { TransientError } from '../../../../core/errors/errors.ts';
import type { Secrets, SigningSecret, SigningSecrets } from '../../../../ports/secrets.ts';
import { awsError, awsOutput, type ScriptedAnswer, scriptedAwsOfTests } from '../../../support/start-scripted-aws.ts';

const aws = scriptedAwsOfTests();

async function secretsAnswered(answers: ScriptedAnswer[], maxAgeSeconds?: number): Promise<Secrets> {
  const client = createSecretsManagerClient((await aws.start(...answers)).settings);
  return createSecrets(maxAgeSeconds === undefined ? { client } : { client, maxAgeSeconds });
}

test('Secrets Manager is read once for a secret that is used often', async () => {
  const secrets = await secretsAnswered([awsOutput({ SecretString: 'hunter2' })]);

  for (let count = 0; count < 5; count += 1) expect(await secrets.read('davit/webhook')).toBe('hunter2');

  expect(aws.requests.map(({ body }) => body)).toEqual(['{"SecretId":"davit/webhook","VersionStage":"AWSCURRENT"}']);
});

test('a secret that was read is cached until it is refreshed', async () => {
  const secrets = await secretsAnswered([awsOutput({ SecretString: 'old' }), awsOutput({ SecretString: 'new' })]);
  await secrets.read('davit/webhook');

  expect(await secrets.refresh('davit/webhook')).toBe('new');
  expect(await secrets.read('davit/webhook')).toBe('new');
  expect(aws.requests).toHaveLength(2);
});

test('secrets are not confused with one another', async () => {
  const secrets = await secretsAnswered([awsOutput({ SecretString: 'A' }), awsOutput({ SecretString: 'B' })]);

  for (const id of ['A', 'B', 'A', 'B']) expect(await secrets.read(id)).toBe(id);

  expect(aws.requests.map(({ body }) => body)).toEqual(['A', 'B'].map((id) => expect.stringContaining(`"${id}"`)));
});

test('an error names a missing secret, which is found once it exists', async () => {
  const missing = awsError(400, 'ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
  const secrets = await secretsAnswered([missing, missing, awsOutput({ SecretString: 'here' })]);

  await expect(secrets.read('davit/late')).rejects.toMatchObject({ name: 'TerminalError', code: 'SecretMissing' });
  await expect(secrets.refresh('davit/late')).rejects.toThrow('davit/late');

  expect(await secrets.read('davit/late')).toBe('here');
});

test('with a maximum age of 0 s nothing is cached', async () => {
  const secrets = await secretsAnswered([awsOutput({ SecretString: 'old' }), awsOutput({ SecretString: 'new' })], 0);

  expect(await secrets.read('davit/webhook')).toBe('old');
  expect(await secrets.read('davit/webhook')).toBe('new');
});

test('a line break at the end is no part of a secret: it is that of the file which was put', async () => {
  const secrets = await secretsAnswered([awsOutput({ SecretString: 'hunter2\r\n' })]);

  expect(await secrets.read('davit/webhook')).toBe('hunter2');
});

test.each([
  ['a binary secret', { SecretBinary: 'aHVudGVyMg==' }, 'secret davit/webhook: expected text, found binary'],
  ['an empty secret', { SecretString: '' }, 'secret davit/webhook: '],
])('%s is refused', async (_what, output, words) => {
  const secrets = await secretsAnswered([awsOutput(output)]);

  const read = secrets.read('davit/webhook');

  await expect(read).rejects.toMatchObject({ name: 'TerminalError', code: 'SecretMissing' });
  await expect(read).rejects.toThrow(words);
});

describe('a signing secret', () => {
  const dayMs = 86_400_000;
  const rotatedAtEpochMs = 1_780_308_000_000;
  let nowEpochMs: number;
  const version = (id: string) =>
    awsOutput({ SecretString: `text of ${id}`, VersionId: id, CreatedDate: rotatedAtEpochMs / 1000 });
  const none = awsError(400, 'ResourceNotFoundException', 'no value for staging label: AWSPREVIOUS');

  async function signing(sinceRotationMs: number, ...answers: ScriptedAnswer[]): Promise<SigningSecrets> {
    nowEpochMs = rotatedAtEpochMs + sinceRotationMs;
    const client = createSecretsManagerClient((await aws.start(...answers)).settings);
    return createSecrets({ client, nowEpochMs: () => nowEpochMs }).signing('key');
  }
  const ids = (secrets: readonly SigningSecret[]) => secrets.map(({ id }) => id);
  const calls = () => aws.requests.length;

  test('accepts its previous version for a day after a rotation, and no longer', async () => {
    const early = await signing(dayMs - 1, version('new'), version('old'));
    expect(ids(await early.accepted())).toEqual(['new', 'old']);

    const late = await signing(dayMs, version('new'), version('old'));
    expect(ids(await late.accepted())).toEqual(['new']);
    expect(calls()).toBe(1);
  });

  test('signs with the previous version until every reader has seen the new one', async () => {
    const early = await signing(19_999, version('new'), version('old'));
    expect(ids(await early.accepted())).toEqual(['old', 'new']);

    const late = await signing(20_000, version('new'), version('old'));
    expect(ids(await late.accepted())).toEqual(['new', 'old']);
  });

  test('may have no previous version', async () => {
    const secrets = await signing(0, version('first'), none);

    expect(ids(await secrets.accepted())).toEqual(['first']);
  });

  test('is cached for five minutes', async () => {
    const secrets = await signing(dayMs, version('one'), version('two'));
    await secrets.accepted();

    nowEpochMs += 299_999;
    const kept = await secrets.accepted();
    nowEpochMs += 1;
    const anew = await secrets.accepted();

    expect([ids(kept), ids(anew)]).toEqual([['one'], ['two']]);
  });

  test('is read again for a wrong signature, at most once in ten seconds', async () => {
    const secrets = await signing(dayMs, version('one'), version('two'));
    const known = await secrets.accepted();

    nowEpochMs += 9_999;
    const forged = await Promise.all(Array.from({ length: 100 }, () => secrets.refreshed()));
    const callsForForged = calls();
    nowEpochMs += 1;
    const fresh = await Promise.all(Array.from({ length: 100 }, () => secrets.refreshed()));

    expect(forged.every((one) => one === known)).toBe(true);
    expect(callsForForged).toBe(1);
    expect(fresh.map(ids)).toEqual(Array.from({ length: 100 }, () => ['two']));
    expect(calls()).toBe(2);
  });

  test('is the same object when its versions have not changed', async () => {
    const secrets = await signing(dayMs, version('one'));
    const known = await secrets.accepted();

    nowEpochMs += 10_000;

    expect(await secrets.refreshed()).toBe(known);
    expect(calls()).toBe(2);
  });

  test('keeps its versions when a second read fails, and throws for ten seconds instead of reading again', async () => {
    const secrets = await signing(dayMs, version('one'), awsError(400, 'ThrottlingException', 'Rate exceeded'));
    const known = await secrets.accepted();

    nowEpochMs += 10_000;
    await expect(secrets.refreshed()).rejects.toThrow(TransientError);
    nowEpochMs += 9_999;
    await expect(secrets.refreshed()).rejects.toThrow(TransientError);

    expect(await secrets.accepted()).toBe(known);
    expect(calls()).toBe(2);
  });
});
