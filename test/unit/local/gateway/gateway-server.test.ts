import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as z from 'zod';
import {
  type AccessLogEntry,
  type GatewayServerOptions,
  startGatewayServer,
} from '../../../../local/gateway/gateway-server.ts';
import { gatewayMessage } from '../../../../local/gateway/http-api-response.ts';
import type { JsonValue } from '../../../../local/json-value.ts';
import type { LoopbackServer } from '../../../../local/loopback-server.ts';
import { AwsServiceError } from '../../../support/aws/aws-service-error.ts';
import { threw } from '../../aws/fixtures/probe-service.ts';

const routes = [
  { method: 'POST', path: '/webhooks/{name}', functionName: 'webhook' },
  { method: 'GET', path: '/launches/{launchId}', functionName: 'launch' },
  { method: 'GET', path: '/launches/mine', functionName: 'mine' },
  { method: 'GET', path: '/asked', functionName: 'asked', authorization: 'iam' as const },
  { method: 'ANY', path: '/any', functionName: 'any' },
];

const echo = async (functionName: string, event: JsonValue) => ({ requestId: 'r', payload: { functionName, event } });

/** A gateway whose functions answer with their event, unless a test overrides this. */
function startEcho(options: Partial<GatewayServerOptions> = {}): Promise<LoopbackServer> {
  return startGatewayServer({ routes, invokeFunction: echo, ...options });
}

const EchoAnswer = z.object({ functionName: z.string(), event: z.looseObject({ body: z.string().default('') }) });

const returning = (payload: JsonValue) => ({ invokeFunction: async () => ({ requestId: 'r', payload }) });

/** Sends raw bytes and returns the whole answer. */
function sendRaw(server: LoopbackServer, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(server.port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('end', () => resolve(Buffer.concat(chunks).toString()));
    socket.on('error', reject);
  });
}

const rawRequest = (target: string, headers = '') =>
  `GET ${target} HTTP/1.1\r\nhost: local\r\n${headers}connection: close\r\n\r\n`;

describe('the event', () => {
  test('has payload format 2.0', async () => {
    await using server = await startEcho({ nowEpochMs: () => Date.parse('2020-03-12T19:03:58.390Z') });

    const response = await fetch(`${server.url}/webhooks/git%20hub?a=1&a=2&b=x%20y&c`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'X-GitHub-Event': 'workflow_job', 'user-agent': 'test' },
      body: '{"ü":1}',
    });

    expect(await response.json()).toEqual({
      functionName: 'webhook',
      event: {
        version: '2.0',
        routeKey: 'POST /webhooks/{name}',
        rawPath: '/webhooks/git hub',
        rawQueryString: 'a=1&a=2&b=x%20y&c',
        headers: expect.objectContaining({
          'x-github-event': 'workflow_job',
          'content-length': '8',
          'x-amzn-trace-id': expect.stringMatching(/^Root=1-5e6a879e-[0-9a-f]{24}$/),
          'x-forwarded-for': '127.0.0.1',
          'x-forwarded-proto': 'http',
        }),
        queryStringParameters: { a: '1,2', b: 'x y', c: '' },
        pathParameters: { name: 'git hub' },
        requestContext: {
          accountId: '000000000000',
          apiId: 'local',
          domainName: '127.0.0.1',
          domainPrefix: '127',
          http: {
            method: 'POST',
            path: '/webhooks/git hub',
            protocol: 'HTTP/1.1',
            sourceIp: '127.0.0.1',
            userAgent: 'test',
          },
          requestId: response.headers.get('apigw-requestid'),
          routeKey: 'POST /webhooks/{name}',
          stage: '$default',
          time: '12/Mar/2020:19:03:58 +0000',
          timeEpoch: 1_584_039_838_390,
        },
        body: '{"ü":1}',
        isBase64Encoded: false,
      },
    });
  });

  test("names this machine's user as the caller on routes with IAM, and only there", async () => {
    await using server = await startEcho();

    const [own, asked] = await Promise.all(
      ['/any', '/asked'].map(async (path) => EchoAnswer.parse(await (await fetch(server.url + path)).json()).event),
    );

    expect(own?.requestContext).not.toHaveProperty('authorizer');
    expect(asked?.requestContext).toMatchObject({
      authorizer: { iam: { userArn: `arn:aws:iam::000000000000:user/${userInfo().username}` } },
    });
  });

  test('lacks body, query, cookies and path parameters when the request does', async () => {
    await using server = await startEcho();

    const { event } = EchoAnswer.parse(await (await fetch(`${server.url}/any`)).json());

    expect(event.isBase64Encoded).toBe(false);
    expect(event.body).toBe('');
    for (const field of ['queryStringParameters', 'cookies', 'pathParameters']) expect(event).not.toHaveProperty(field);
  });

  test('joins repeated headers and takes cookies out of them', async () => {
    await using server = await startEcho();

    const answer = await sendRaw(
      server,
      rawRequest('/any', 'X-A: 1\r\nx-a: 2\r\nconstructor: c\r\nCookie: a=1; b=2\r\n'),
    );

    const { event } = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
    expect(event.headers).toMatchObject({ 'x-a': '1,2', constructor: 'c' });
    expect(event.headers).not.toHaveProperty('cookie');
    expect(event.cookies).toEqual(['a=1', 'b=2']);
  });

  test.each([
    ['application/json', false],
    ['Application/JSON; charset=utf-8', false],
    ['text/plain', false],
    ['application/xml', false],
    ['application/javascript', false],
    ['application/x-www-form-urlencoded', true],
    ['application/octet-stream', true],
    ['', true],
  ])('a body of type %j has isBase64Encoded %j', async (contentType, isBase64Encoded) => {
    await using server = await startEcho();
    const body = Buffer.from('a=ü');

    const response = await fetch(`${server.url}/any`, {
      method: 'POST',
      headers: { 'content-type': contentType },
      body,
    });

    const { event } = EchoAnswer.parse(await response.json());
    expect(event.isBase64Encoded).toBe(isBase64Encoded);
    expect(Buffer.from(event.body, isBase64Encoded ? 'base64' : 'utf8')).toEqual(body);
  });
});

describe('routing', () => {
  test('a literal segment wins over a parameter', async () => {
    await using server = await startEcho();

    const names = [];
    for (const path of ['/launches/mine', '/launches/other']) {
      names.push(EchoAnswer.parse(await (await fetch(server.url + path)).json()).functionName);
    }

    expect(names).toEqual(['mine', 'launch']);
  });

  test.each(['/', '/launches', '/launches/', '/launches/a/b', '/launches/a%2Fb', '/ANY'])(
    '%s is Not Found',
    async (path) => {
      await using server = await startEcho();

      const response = await fetch(server.url + path);

      expect([response.status, await response.text()]).toEqual([404, '{"message":"Not Found"}']);
    },
  );

  test('a method without a route is Not Found', async () => {
    await using server = await startEcho();

    expect((await fetch(`${server.url}/launches/a`, { method: 'DELETE' })).status).toBe(404);
  });
});

describe('the answer', () => {
  test("has the status, headers, cookies and body of the function's result", async () => {
    const result = {
      statusCode: 202,
      headers: { 'X-N': 1, 'Content-Type': 'a/b' },
      cookies: ['a=1', 'b=2'],
      body: 'ü',
    };
    await using server = await startEcho(returning(result));

    const response = await fetch(`${server.url}/any`);

    expect([response.status, await response.text()]).toEqual([202, 'ü']);
    expect([response.headers.get('x-n'), response.headers.get('content-type')]).toEqual(['1', 'a/b']);
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  });

  test('decodes a base64 body', async () => {
    const body = Buffer.from([0, 255, 1]);
    await using server = await startEcho(
      returning({ statusCode: 200, isBase64Encoded: true, body: body.toString('base64') }),
    );

    const response = await fetch(`${server.url}/any`);

    expect(Buffer.from(await response.arrayBuffer())).toEqual(body);
  });

  test.each([
    [{ some: 'object' }, '{"some":"object"}'],
    [['array'], '["array"]'],
    ['a string', 'a string'],
    [null, 'null'],
  ])('is a 200 with the bare value %j as its body', async (payload, body) => {
    await using server = await startEcho(returning(payload));

    const response = await fetch(`${server.url}/any`);

    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      'application/json',
      body,
    ]);
  });

  test.each([
    { statusCode: 'many' },
    { statusCode: 99 },
    { statusCode: 200, body: { not: 'text' } },
    { statusCode: 200, headers: { 'x-a': 'line\nbreak' } },
    { statusCode: 200, headers: { 'not a name': 'x' } },
  ])('is a 500 for %j, which HTTP does not allow', async (payload) => {
    await using server = await startEcho(returning(payload));

    const response = await fetch(`${server.url}/any`);

    expect([response.status, await response.text()]).toEqual([500, '{"message":"Internal Server Error"}']);
  });

  test('is a 500 when a function fails, with the reason in the access log only', async () => {
    const accesses: AccessLogEntry[] = [];
    await using server = await startEcho({
      invokeFunction: async () => threw('RangeError', 'a secret'),
      onAccess: (entry) => accesses.push(entry),
    });

    const response = await fetch(`${server.url}/launches/a%20b`);

    expect([response.status, await response.text()]).toEqual([500, '{"message":"Internal Server Error"}']);
    await nextTurn();
    expect(accesses).toMatchObject([
      {
        method: 'GET',
        path: '/launches/a b',
        routeKey: 'GET /launches/{launchId}',
        status: 500,
        integrationError: 'RangeError',
      },
    ]);
  });

  const throwing = (error: Error) => ({
    invokeFunction: async () => {
      throw error;
    },
  });

  test.each<[number, string, Partial<GatewayServerOptions>]>([
    [503, 'a function takes too long', { integrationTimeoutMs: 1, invokeFunction: () => new Promise(() => undefined) }],
    [413, 'Lambda refuses the event as too large', throwing(new AwsServiceError('RequestTooLargeException', '', 413))],
    [503, 'Lambda throttles the invocation', throwing(new AwsServiceError('TooManyRequestsException', '', 429))],
  ])('is a %i when %s', async (status, _what, options) => {
    await using server = await startEcho(options);

    expect((await fetch(`${server.url}/any`)).status).toBe(status);
  });
});

test('the body of a request that needs none is not read', async () => {
  const bare = { method: 'POST', path: '/bare', functionName: 'bare', readsBody: false };
  await using server = await startEcho({ routes: [bare] });

  const answer = await sendRaw(
    server,
    'POST /bare HTTP/1.1\r\nhost: davit\r\nconnection: close\r\ncontent-length: 10000000\r\n\r\n{',
  );

  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  const { event } = EchoAnswer.parse(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))));
  expect(event.body).toBe('');
});

describe('malformed input', () => {
  test('a body over 10 MB is a 413', async () => {
    await using server = await startEcho();

    const response = await fetch(`${server.url}/any`, { method: 'POST', body: Buffer.alloc(10 * 1024 * 1024 + 1) });

    expect([response.status, await response.text()]).toEqual([413, '{"message":"Request Entity Too Large"}']);
  });

  test.each(['/launches/%', '/launches/%zz', '/launches/%ff', '/launches/a%00b', 'no-slash', '*'])(
    'the target %s is a 400',
    async (target) => {
      await using server = await startEcho();

      expect(await sendRaw(server, rawRequest(target))).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    },
  );

  const post = 'POST /any HTTP/1.1\r\nhost: davit\r\n';
  test.each([
    ['no HTTP', 'EHLO davit\r\n\r\n'],
    ['bytes', '\x16\x03\x01\x02\x00\x01\x00\x01\r\n'],
    ['an unknown method', 'FROBNICATE /any HTTP/1.1\r\nhost: davit\r\n\r\n'],
    ['an unknown version', 'GET /any HTTP/9.9\r\nhost: davit\r\n\r\n'],
    ['no host', 'GET /any HTTP/1.1\r\nconnection: close\r\n\r\n'],
    ['a negative length', `${post}content-length: -1\r\n\r\n`],
    ['two lengths', `${post}content-length: 1\r\ncontent-length: 2\r\n\r\n{}`],
    ['a length and chunks', `${post}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['invalid chunks', `${post}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n`],
    ['a NUL in a header', 'GET /any HTTP/1.1\r\nhost: davit\r\nx: a\0b\r\n\r\n'],
    ['a header without a name', 'GET /any HTTP/1.1\r\nhost: davit\r\n: x\r\n\r\n'],
  ])('%s is a 400', async (_what, bytes) => {
    await using server = await startEcho();

    expect(await sendRaw(server, bytes)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  });

  test('CONNECT, a method for proxies, gets no answer', async () => {
    await using server = await startEcho();

    expect(await sendRaw(server, 'CONNECT davit:80 HTTP/1.1\r\nhost: davit\r\n\r\n')).toBe('');
  });

  test('headers over 10,240 bytes are a 431', async () => {
    await using server = await startEcho();

    expect(await sendRaw(server, rawRequest('/any', `x-a: ${'x'.repeat(10_240)}\r\n`))).toMatch(/^HTTP\/1\.1 431 /);
  });

  test.each([
    ['by the guard', '/any', 403],
    ['for a path without a route', '/nowhere', 404],
  ])('a request that is refused %s is answered before its body arrives', async (_why, path, status) => {
    await using server = await startEcho({ guard: () => gatewayMessage(403, 'Forbidden') });

    const answer = await sendRaw(
      server,
      `POST ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 100\r\n\r\nhalf`,
    );

    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  test('a client that disconnects in the middle of its body does no harm', async () => {
    const accesses: AccessLogEntry[] = [];
    const seen = Promise.withResolvers<void>();
    await using server = await startEcho({
      onAccess: (entry) => {
        accesses.push(entry);
        seen.resolve();
      },
    });

    const socket = connect(server.port, '127.0.0.1', () => {
      socket.write('POST /any HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\nhalf', () => socket.destroy());
    });
    await seen.promise;

    expect(accesses).toMatchObject([{ status: 400, integrationError: expect.stringContaining('aborted') }]);
    expect((await fetch(`${server.url}/any`)).status).toBe(200);
  });
});

describe('a probe', () => {
  test.each([
    ['/healthz', true, 200],
    ['/readyz', true, 200],
    ['/healthz', false, 200],
    ['/readyz', false, 503],
  ])('GET %s, ready: %s, is answered %i and not in the access log', async (path, isReady, status) => {
    const entries: AccessLogEntry[] = [];
    await using server = await startEcho({ isReady: () => isReady, onAccess: (entry) => entries.push(entry) });

    const answer = await fetch(`${server.url}${path}`);

    expect({ status: answer.status, entries }).toEqual({ status, entries: [] });
  });
});
