import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import * as z from 'zod';
import { type AwsSettings, createAwsClient } from '../../../../../functions/adapters/aws/aws-client.ts';
import * as services from '../../../../../functions/adapters/aws/aws-services.ts';
import { createJsonClient } from '../../../../../functions/adapters/aws/json-client.ts';
import { TransientError } from '../../../../../functions/domain/errors.ts';
import { localAws } from '../../../../../local/local-aws.ts';
import { listen } from '../../../../../local/loopback-server.ts';
import type { ScriptedAnswer, ScriptedAws } from '../../../../support/start-scripted-aws.ts';
import { awsError, awsOutput, startScriptedAws } from '../../../../support/start-scripted-aws.ts';

let service: ScriptedAws | undefined;
afterEach(async () => {
  await service?.stop();
  service = undefined;
});

/** Writes an item with a secret in it, and returns what comes of it. */
async function put(settings: AwsSettings): Promise<unknown> {
  const client = createJsonClient(services.dynamoDb, settings);
  const input = { TableName: 'launches', Item: { launchId: { S: 'hunter2' } } };
  return await client.call('PutItem', input, z.object({}));
}

async function putTo(answers: ScriptedAnswer[], settings: AwsSettings = {}): Promise<unknown> {
  service = await startScriptedAws(answers);
  return await put({ ...localAws(service.url), ...settings });
}

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    (answer) => expect(answer).toBe('an error'),
    (error: unknown) => error,
  );
}

describe('an error that may pass becomes a TransientError that names service and operation', () => {
  test.each<[string, ScriptedAnswer, RegExp]>([
    ['throttled', awsError(429, 'SlowDownPlease', 'Rate exceeded'), /SlowDownPlease: Rate exceeded/],
    ['a fault of the service', awsError(500, 'InternalServerError', 'sorry'), /InternalServerError: sorry/],
    ['a proxy’s page', { status: 503, body: '<html>hunter2</html>' }, /PutItem: UnknownError: HTTP 503/],
    ['a proxy’s page that says yes', { status: 200, body: '<html>hunter2</html>' }, /UnreadableAnswer: HTTP 200/],
    ['a connection that is cut', 'reset', /ConnectionError: .*(socket hang up|ECONNRESET)/],
  ])('%s', async (_title, answer, says) => {
    const error = await errorOf(putTo([answer]));

    expect(error).toBeInstanceOf(TransientError);
    expect(error).toMatchObject({ code: 'StoreUnavailable', message: expect.stringMatching(says) });
    expect(error).toMatchObject({ message: expect.stringMatching(/^StoreUnavailable: DynamoDB PutItem: /) });
    expect(String(error)).not.toContain('hunter2');
    expect(service?.requests).toHaveLength(3);
  });

  // Thirty times sooner than in production: what matters is that there is an end to each wait.
  test.each<[string, ScriptedAnswer]>([
    ['no answer', 'silence'],
    ['a body that stops half-way', 'stalled body'],
  ])('%s', async (_title, answer) => {
    const error = await errorOf(putTo([answer], { requestMs: 100 }));

    expect(error).toBeInstanceOf(TransientError);
    expect(error).toMatchObject({ message: expect.stringContaining('PutItem: ConnectionError: no answer in time') });
  });

  test.each(['ThrottlingException', 'ProvisionedThroughputExceededException', 'LimitExceededException'])(
    '%s, whatever its status',
    async (name) => {
      service = await startScriptedAws([awsError(400, name, 'slow down')]);

      const error = await errorOf(put(service.settings));

      expect(error).toBeInstanceOf(TransientError);
      expect(error).toMatchObject({ message: expect.stringContaining(`${name}: slow down`) });
    },
  );

  test('nothing listens', async () => {
    const stopped = await startScriptedAws([]);
    await stopped.stop();

    const error = await errorOf(put(localAws(stopped.url)));

    expect(error).toMatchObject({ message: expect.stringContaining('ConnectionError: connect ECONNREFUSED') });
  });

  test('the id of the request, by which AWS finds it, is in the message', async () => {
    const error = await errorOf(putTo([awsError(500, 'InternalServerError', 'sorry')]));

    expect(error).toMatchObject({ message: expect.stringContaining('[request request-7]') });
  });

  test('AWS’s own error is its cause', async () => {
    const error = await errorOf(putTo([awsError(500, 'InternalServerError', 'sorry')]));

    expect(error).toMatchObject({ cause: { name: 'InternalServerError', message: 'sorry', status: 500 } });
  });
});

describe('a call is repeated before it is given up', () => {
  test('and its late success is a success', async () => {
    const answer = await putTo([awsError(500, 'InternalServerError', 'sorry'), 'reset', awsOutput({})]);

    expect(answer).toEqual({});
    expect(service?.requests).toHaveLength(3);
  });

  test('after a throttling, too', async () => {
    const throttled = awsError(400, 'ProvisionedThroughputExceededException', 'slow down');

    expect(await putTo([throttled, awsOutput({})])).toEqual({});
  });

  test('by a new connection, when the service has closed the kept one', async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'));
    });
    const { port } = await listen(server, 0, '127.0.0.1');
    const client = createJsonClient(services.dynamoDb, localAws(`http://127.0.0.1:${port}`));
    const call = () => client.call('PutItem', {}, z.object({}));
    await call();
    await call();
    const kept = sockets.length;

    sockets[0]?.resetAndDestroy();
    await call();

    expect(kept).toBe(1);
    expect(sockets).toHaveLength(2);
    server.close();
    sockets[1]?.destroy();
  });

  test('each time signed anew', async () => {
    await putTo([awsError(500, 'InternalServerError', 'sorry'), awsOutput({})]);

    const [first, second] = service?.requests ?? [];
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['authorization']).toMatch(/^AWS4-HMAC-SHA256 Credential=local\//);
  });
});

describe('any other error passes as it came, and at once', () => {
  test.each(['AccessDeniedException', 'ResourceNotFoundException', 'ValidationException'])('%s', async (name) => {
    const error = await errorOf(putTo([awsError(400, name, 'no')]));

    expect(error).not.toBeInstanceOf(TransientError);
    expect(error).toMatchObject({ name, message: 'no', status: 400 });
    expect(service?.requests).toHaveLength(1);
  });

  test('an answer that is not as documented', async () => {
    const error = await errorOf(putTo([{ status: 200, body: '[]' }]));

    expect(error).toBeInstanceOf(z.core.$ZodError);
  });

  test('a bug', async () => {
    const credentials = () => {
      throw new TypeError('x is not a function');
    };

    await expect(put({ ...localAws('http://127.0.0.1:1'), credentials })).rejects.toThrow(TypeError);
  });
});

describe('an error’s name is found', () => {
  test.each<[where: string, answer: ScriptedAnswer]>([
    ['in a header', { status: 404, headers: { 'x-amzn-errortype': 'NotThere' }, body: '{"message":"no"}' }],
    [
      'in a header, with a link',
      { status: 404, headers: { 'x-amzn-errortype': 'NotThere:http://x/' }, body: '{"message":"no"}' },
    ],
    ['in a header, with an empty body', { status: 404, headers: { 'x-amzn-errortype': 'NotThere' }, body: '' }],
    ['in the body', { status: 400, body: '{"__type":"NotThere","message":"no"}' }],
    [
      'in the body, with its namespace',
      { status: 400, body: '{"__type":"com.amazonaws.dynamodb.v20120810#NotThere","Message":"no"}' },
    ],
    ['in the body, as a code', { status: 400, body: '{"code":"NotThere","message":"no"}' }],
  ])('%s', async (_where, answer) => {
    expect(await errorOf(putTo([answer]))).toMatchObject({ name: 'NotThere' });
  });

  test('nowhere: its status is told', async () => {
    const error = await errorOf(putTo([{ status: 403, body: '<html>Forbidden</html>' }]));

    expect(error).toMatchObject({ name: 'UnknownError', message: 'HTTP 403', status: 403 });
  });
});

describe('a client asks at the endpoint', () => {
  const environmentBefore = { ...process.env };
  afterEach(() => {
    process.env = { ...environmentBefore };
  });

  test.each([
    ['AWS_ENDPOINT_URL_DYNAMODB', services.dynamoDb],
    ['AWS_ENDPOINT_URL_LAMBDA', services.lambda],
    ['AWS_ENDPOINT_URL_SECRETS_MANAGER', services.secretsManager],
    ['AWS_ENDPOINT_URL_SFN', services.stepFunctions],
    ['AWS_ENDPOINT_URL_EVENTBRIDGE', services.eventBridge],
    ['AWS_ENDPOINT_URL_EKS', services.eks],
    ['AWS_ENDPOINT_URL', services.dynamoDb],
  ])('that %s names, in the region and with the credentials of the environment', async (variable, asked) => {
    service = await startScriptedAws([awsOutput({})]);
    const local = { AWS_REGION: 'eu-north-1', AWS_ACCESS_KEY_ID: 'me', AWS_SECRET_ACCESS_KEY: 'local' };
    process.env = { ...environmentBefore, ...local, [variable]: service.url };

    await createAwsClient(asked).send('Anything', { method: 'POST', path: '/', body: '{}' });

    expect(service.requests[0]?.headers['authorization']).toMatch(
      new RegExp(`Credential=me/\\d{8}/eu-north-1/${asked.id}/aws4_request`),
    );
  });
});
