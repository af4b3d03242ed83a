import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, test } from '@jest/globals';
import { clientSettings } from '../../../../../functions/adapters/aws/clients.ts';
import { callAws, toTransient } from '../../../../../functions/adapters/aws/to-transient.ts';
import { TransientError } from '../../../../../functions/domain/errors.ts';
import type { ScriptedAnswer, ScriptedAws } from '../../../../support/start-scripted-aws.ts';
import { awsError, awsOutput, startScriptedAws } from '../../../../support/start-scripted-aws.ts';

let service: ScriptedAws | undefined;
afterEach(async () => {
  await service?.stop();
  service = undefined;
});

// As in production, but every wait thirty times shorter: what matters is that there is an end to each.
const requestHandler = Object.fromEntries(
  Object.entries(clientSettings.requestHandler).map(([name, value]) => [
    name,
    typeof value === 'number' ? value / 30 : value,
  ]),
);
const settings = { ...clientSettings, requestHandler };

/** Writes an item with a secret in it, and returns what it throws. */
async function errorOfPut(endpoint: string): Promise<unknown> {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ ...settings, endpoint, region: 'us-east-1', credentials });
  const command = new PutItemCommand({ TableName: 'launches', Item: { launchId: { S: 'hunter2' } } });
  try {
    await callAws('DynamoDB PutItem', () => client.send(command));
  } catch (error) {
    return error;
  } finally {
    client.destroy();
  }
  return undefined;
}

async function errorOfPutTo(answers: ScriptedAnswer[]): Promise<unknown> {
  service = await startScriptedAws(answers);
  return await errorOfPut(service.clientConfig.endpoint);
}

async function errorOfPutInWorker(endpoint: string): Promise<string> {
  const modulePath = new URL('./put-in-worker.ts', import.meta.url);
  const worker = new Worker(modulePath, { workerData: { endpoint }, stdout: true });
  return await text(worker.stdout);
}

describe('an error that may pass becomes a TransientError that names service and operation', () => {
  test.each<[string, ScriptedAnswer, RegExp]>([
    ['throttled', awsError(400, 'ThrottlingException', 'Rate exceeded'), /ThrottlingException: Rate exceeded/],
    [
      'over its throughput',
      awsError(400, 'ProvisionedThroughputExceededException', 'slow down'),
      /ProvisionedThroughputExceededException: slow down/,
    ],
    ['throttled by another name', awsError(429, 'SlowDownPlease', 'Rate exceeded'), /SlowDownPlease: Rate exceeded/],
    ['a fault of the service', awsError(500, 'InternalServerError', 'sorry'), /InternalServerError: sorry/],
    ['a proxy’s page', { status: 503, body: '<html>Service Unavailable</html>' }, /DynamoDB PutItem: /],
    ['no answer', 'silence', /TimeoutError: .*requestTimeout/],
    ['a body that stops half-way', 'stalled body', /TimeoutError|ECONNRESET|aborted/],
  ])('%s', async (_title, answer, says) => {
    const error = await errorOfPutTo([answer]);

    expect(error).toBeInstanceOf(TransientError);
    expect(error).toMatchObject({ code: 'StoreUnavailable', message: expect.stringMatching(says) });
    expect(error).toMatchObject({ message: expect.stringMatching(/^StoreUnavailable: DynamoDB PutItem: /) });
    expect(String(error)).not.toContain('hunter2');
  });

  test('a connection that is cut', async () => {
    service = await startScriptedAws(['reset']);

    const error = await errorOfPutInWorker(service.clientConfig.endpoint);

    expect(error).toMatch(/^TransientError: StoreUnavailable: DynamoDB PutItem: .*(socket hang up|ECONNRESET)/);
  });

  test('nothing listens', async () => {
    const stopped = await startScriptedAws([]);
    await stopped.stop();

    const error = await errorOfPutInWorker(stopped.clientConfig.endpoint);

    expect(error).toMatch(/^TransientError: StoreUnavailable: DynamoDB PutItem: Error: connect ECONNREFUSED/);
  });

  test('the id of the request, by which AWS finds it, is in the message', async () => {
    const error = await errorOfPutTo([awsError(500, 'InternalServerError', 'sorry')]);

    expect(error).toMatchObject({ message: expect.stringContaining('[request request-7]') });
  });

  test('the SDK’s error is its cause', async () => {
    const error = await errorOfPutTo([awsError(500, 'InternalServerError', 'sorry')]);

    expect(error).toMatchObject({ cause: { name: 'InternalServerError' } });
  });
});

test('a call is repeated before it is given up, and its late success is a success', async () => {
  const error = await errorOfPutTo([awsError(500, 'InternalServerError', 'sorry'), 'reset', awsOutput({})]);

  expect(error).toBeUndefined();
  expect(service?.requests).toHaveLength(3);
});

describe('any other error passes as it came', () => {
  test.each(['AccessDeniedException', 'ResourceNotFoundException', 'ValidationException'])('%s', async (name) => {
    const error = await errorOfPutTo([awsError(400, name, 'no')]);

    expect(error).not.toBeInstanceOf(TransientError);
    expect(error).toMatchObject({ name });
    expect(service?.requests).toHaveLength(1);
  });

  test('a bug', () => {
    const bug = new TypeError('x is not a function');

    expect(toTransient('DynamoDB Query', bug)).toBe(bug);
  });

  test('what is not an error', () => {
    expect(toTransient('DynamoDB Query', 'thrown')).toBe('thrown');
    expect(toTransient('DynamoDB Query', undefined)).toBeUndefined();
  });

  test('an error that has its type already', () => {
    const error = new TransientError('WriteConflict', 'came and went');

    expect(toTransient('DynamoDB Query', error)).toBe(error);
  });
});
