import { createServer, type Socket } from 'node:net';
import { DescribeClusterCommand } from '@aws-sdk/client-eks';
import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { GetFunctionCommand } from '@aws-sdk/client-lambda';
import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { DescribeExecutionCommand } from '@aws-sdk/client-sfn';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { AwsSettings } from '../../../../adapters/aws/client-settings.ts';
import { createEventBridgeClient } from '../../../../adapters/aws/create-event-bus.ts';
import { createSecretsManagerClient } from '../../../../adapters/aws/create-secrets.ts';
import { createSfnClient } from '../../../../adapters/aws/create-sfn-executions.ts';
import { createEksClient } from '../../../../adapters/aws/describe-eks-cluster.ts';
import { createDynamoClient } from '../../../../adapters/aws/dynamo-table.ts';
import { createLambdaClient } from '../../../../adapters/aws/invoke-later.ts';
import { TransientError } from '../../../../core/errors/errors.ts';
import { listen } from '../../../../local/loopback-server.ts';
import { localAws } from '../../../support/aws/local-aws.ts';
import { awsError, awsOutput, type ScriptedAnswer, scriptedAwsOfTests } from '../../../support/start-scripted-aws.ts';

const aws = scriptedAwsOfTests();

/** Writes an item that contains a secret, and returns the outcome. */
async function put(settings: AwsSettings): Promise<unknown> {
  const client = createDynamoClient(settings);
  return await client.send(new PutCommand({ TableName: 'launches', Item: { launchId: 'hunter2' } }));
}

async function putTo(answers: ScriptedAnswer[], settings: AwsSettings = {}): Promise<unknown> {
  const { url } = await aws.start(...answers);
  return await put({ ...localAws(url), ...settings });
}

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    (answer) => expect(answer).toBe('an error'),
    (error: unknown) => error,
  );
}

describe('a transient error becomes a TransientError that names service and operation', () => {
  test.each<[string, ScriptedAnswer, RegExp]>([
    ['throttled', awsError(429, 'SlowDownPlease', 'Rate exceeded'), /SlowDownPlease: Rate exceeded/],
    ['a fault of the service', awsError(500, 'InternalServerError', 'sorry'), /InternalServerError: sorry/],
    ['a connection that is cut', 'reset', /TimeoutError: .*(socket hang up|ECONNRESET)/],
  ])('after three attempts: %s', async (_title, answer, detail) => {
    const error = await errorOf(putTo([answer]));

    expect(error).toBeInstanceOf(TransientError);
    expect(error).toMatchObject({ code: 'StoreUnavailable', message: expect.stringMatching(detail) });
    expect(error).toMatchObject({ message: expect.stringMatching(/^StoreUnavailable: DynamoDB PutItem: /) });
    expect(aws.requests).toHaveLength(3);
  });

  test.each<[string, ScriptedAnswer]>([
    ['a proxy that fails', { status: 503, body: '<html>hunter2</html>' }],
    ['a proxy that says yes', { status: 200, body: '<html>hunter2</html>' }],
  ])('without the words of %s, which may contain a secret', async (_title, answer) => {
    const error = await errorOf(putTo([answer]));

    expect(error).toBeInstanceOf(TransientError);
    expect(error).toMatchObject({ message: expect.stringMatching(/^StoreUnavailable: DynamoDB PutItem: /) });
    expect(String(error)).not.toContain('hunter2');
    expect(String(error instanceof Error ? error.cause : '')).not.toContain('hunter2');
  });

  // The time-outs are thirty times shorter than in production: the test checks that each wait ends.
  test.each<[string, ScriptedAnswer]>([
    ['no answer', 'silence'],
    ['a body that stops half-way', 'stalled body'],
  ])('%s', async (_title, answer) => {
    const error = await errorOf(putTo([answer], { requestMs: 100 }));

    expect(error).toBeInstanceOf(TransientError);
    expect(error).toMatchObject({ message: expect.stringMatching(/PutItem: TimeoutError: .*100 ms/) });
  });

  test.each([
    'ThrottlingException',
    'ProvisionedThroughputExceededException',
    'LimitExceededException',
    'KmsThrottlingException',
    'TransactionConflictException',
  ])('%s, whatever its status', async (name) => {
    const { settings } = await aws.start(awsError(400, name, 'slow down'));

    const error = await errorOf(put(settings));

    expect(error).toBeInstanceOf(TransientError);
    expect(error).toMatchObject({ message: expect.stringContaining(`${name}: slow down`) });
  });

  test('nothing listens', async () => {
    const { url } = await aws.start();
    await aws.stop();

    const error = await errorOf(put(localAws(url)));

    expect(error).toMatchObject({ code: 'StoreUnavailable', message: expect.stringContaining('connect ECONNREFUSED') });
  });

  test("with the request's id, for AWS's support, and with the SDK's own error as its cause", async () => {
    const error = await errorOf(putTo([awsError(500, 'InternalServerError', 'sorry')]));

    expect(error).toMatchObject({ message: expect.stringContaining('[request request-7]') });
    expect(error).toMatchObject({ cause: { name: 'InternalServerError', message: 'sorry' } });
  });
});

describe('a call with a deadline', () => {
  const throttled = awsError(400, 'ThrottlingException', 'slow down');

  test('is not repeated when there is no time for it, and its error is that of the service', async () => {
    const error = await errorOf(putTo([throttled], { deadline: { remainingMs: () => 0 } }));

    expect(error).toBeInstanceOf(TransientError);
    expect(error).toMatchObject({ message: expect.stringContaining('ThrottlingException: slow down') });
    expect(aws.requests).toHaveLength(1);
  });

  test('is repeated as long as there is time', async () => {
    const remaining = [10_000];

    await errorOf(putTo([throttled], { deadline: { remainingMs: () => remaining.shift() ?? 0 } }));

    expect(aws.requests).toHaveLength(2);
  });

  test.each([
    ['while nobody waits', Infinity],
    ['in time', 60_000],
  ])('makes all attempts %s', async (_title, remainingMs) => {
    const cut = awsError(500, 'InternalServerError', 'sorry');
    await putTo([cut, cut, awsOutput({})], { deadline: { remainingMs: () => remainingMs } });

    expect(aws.requests).toHaveLength(3);
  });

  test('is made even when the time is over', async () => {
    await putTo([awsOutput({})], { deadline: { remainingMs: () => -1 } });

    expect(aws.requests).toHaveLength(1);
  });
});

describe('a failed call is repeated', () => {
  test('and succeeds late', async () => {
    await putTo([awsError(500, 'InternalServerError', 'sorry'), 'reset', awsOutput({})]);

    expect(aws.requests).toHaveLength(3);
  });

  test('over a new connection when the service has closed the kept one', async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'));
    });
    const { port } = await listen(server, 0, '127.0.0.1');
    const client = createDynamoClient(localAws(`http://127.0.0.1:${port}`));
    const call = () => client.send(new GetCommand({ TableName: 'launches', Key: { launchId: 'job' } }));
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
});

describe('any other error passes unchanged, without a retry', () => {
  test.each(['AccessDeniedException', 'ResourceNotFoundException', 'ValidationException'])('%s', async (name) => {
    const error = await errorOf(putTo([awsError(400, name, 'no')]));

    expect(error).not.toBeInstanceOf(TransientError);
    expect(error).toMatchObject({ name, message: 'no' });
    expect(aws.requests).toHaveLength(1);
  });

  test('a bug', async () => {
    const credentials = () => {
      throw new TypeError('x is not a function');
    };

    await expect(put({ ...localAws('http://127.0.0.1:1'), credentials })).rejects.toThrow(TypeError);
  });
});

describe('a client uses the endpoint', () => {
  const environmentBefore = { ...process.env };
  afterEach(() => {
    process.env = { ...environmentBefore };
  });

  const getItem = () => createDynamoClient().send(new GetCommand({ TableName: 'x', Key: {} }));
  const getFunction = () => createLambdaClient().send(new GetFunctionCommand({ FunctionName: 'x' }));
  const getSecret = () => createSecretsManagerClient().send(new GetSecretValueCommand({ SecretId: 'x' }));
  const getExecution = () => createSfnClient().send(new DescribeExecutionCommand({ executionArn: 'x' }));
  const putEvents = () => createEventBridgeClient().send(new PutEventsCommand({ Entries: [] }));
  const getCluster = () => createEksClient().send(new DescribeClusterCommand({ name: 'x' }));

  test.each<[variable: string, scope: string, ask: () => Promise<unknown>]>([
    ['AWS_ENDPOINT_URL_DYNAMODB', 'dynamodb', getItem],
    ['AWS_ENDPOINT_URL_LAMBDA', 'lambda', getFunction],
    ['AWS_ENDPOINT_URL_SECRETS_MANAGER', 'secretsmanager', getSecret],
    ['AWS_ENDPOINT_URL_SFN', 'states', getExecution],
    ['AWS_ENDPOINT_URL_EVENTBRIDGE', 'events', putEvents],
    ['AWS_ENDPOINT_URL_EKS', 'eks', getCluster],
    ['AWS_ENDPOINT_URL', 'dynamodb', getItem],
  ])('that %s names, in the region and with the credentials of the environment', async (variable, scope, ask) => {
    const { url, requests } = await aws.start(awsOutput({}));
    const local = { AWS_REGION: 'eu-north-1', AWS_ACCESS_KEY_ID: 'me', AWS_SECRET_ACCESS_KEY: 'local' };
    process.env = { ...environmentBefore, ...local, [variable]: url };

    await ask();

    expect(requests[0]?.headers['authorization']).toMatch(
      new RegExp(`Credential=me/\\d{8}/eu-north-1/${scope}/aws4_request`),
    );
  });
});
