import { createHmac } from 'node:crypto';
import { SignJWT } from 'jose';
import { problems } from '../../runtime/http/problems.ts';
import { credentialInPod, credentialOf } from '../support/agent-credentials.ts';
import { untilExecutionEnds } from '../support/execution-events.ts';
import { idle, withProfiles } from '../support/profile-like.ts';
import { type AwsTestRuntime, startAwsTestRuntime } from '../support/start-aws-test-runtime.ts';
import { gatewaySays, problem } from './documented-answers.ts';
import { exchange, exchangeBytes, type RawRequest } from './exchange.ts';
import { newJob, registration } from './jobs.ts';
import { comes, entered } from './moments.ts';

let davit: AwsTestRuntime;
let url: string;
let webhookSecret: string;
/** The header that authorizes a request to `/launches`. */
let authorized: readonly [string, string];
let credentialKey: string;
/** A launch that malformed input could harm: its token is published, and its agent does not ask for it. */
let launchId: string;

beforeAll(async () => {
  davit = await startAwsTestRuntime({ changeConfig: (config) => withProfiles(config, { idle: { agent: idle } }) });
  ({ url } = davit.runtime);
  authorized = ['authorization', `Bearer ${davit.runtime.launchesToken}`];
  webhookSecret = await davit.runtime.webhookSecret('github');
  credentialKey = davit.runtime.secrets.get(davit.runtime.services.credentialKeySecret) ?? '';
  const published = comes(davit, entered('AwaitAgent'));
  launchId = await davit.launches.request({ profile: 'idle', jobId: 'malformed' });
  await published;
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
});

const json = ['content-type', 'application/json'] as const;
const bytes = ['content-type', 'application/octet-stream'] as const;
const mebibyte = 1024 * 1024;

/** A delivery with the right signature of its body. */
function signed(body: string): RawRequest {
  const signature = `sha256=${createHmac('sha256', webhookSecret).update(body).digest('hex')}`;
  const headers = [json, ['x-github-event', 'workflow_job'], ['x-hub-signature-256', signature]] as const;
  return { method: 'POST', target: '/webhooks/github', headers, body };
}

const foreign = gatewaySays(403, 'Forbidden: the request comes from another site');
const tooLarge = gatewaySays(413, 'Request Entity Too Large');

describe('an invalid launch request is refused', () => {
  test.each([
    ['that is empty', '', problem('body-malformed')],
    ['that is not JSON', '{"profile":', problem('body-malformed')],
    ['of 100,000 brackets', '['.repeat(100_000), problem('body-malformed')],
    ['of 50,000 nested lists', '['.repeat(50_000) + ']'.repeat(50_000), problem('body-malformed')],
    ['of 64 nested lists', '['.repeat(64) + ']'.repeat(64), problem('request-invalid')],
    ['of nested lists in a field', `{"profile":${'['.repeat(50_000) + ']'.repeat(50_000)}}`, problem('body-malformed')],
    ['that is a word', '"linux"', problem('request-invalid')],
    ['that is null', 'null', problem('request-invalid')],
    ['without a job', '{"profile":"linux"}', problem('request-invalid')],
    ['with a prototype', '{"profile":"linux","jobId":"1","__proto__":{"a":1}}', problem('request-invalid')],
    [
      'with a job of 201 characters',
      JSON.stringify({ profile: 'linux', jobId: 'j'.repeat(201) }),
      problem('request-invalid'),
    ],
    ['with half a character', '{"profile":"linux","jobId":"\\ud800"}', problem('request-invalid')],
    ['of an invalid profile', '{"profile":"__proto__","jobId":"1"}', problem('profile-unknown')],
    ['of 1 MiB and a byte', ' '.repeat(mebibyte + 1), problem('body-too-large')],
    ['of 7 MB', ' '.repeat(7_000_000), tooLarge],
    ['of 11 MB', ' '.repeat(11_000_000), tooLarge],
  ])('%s', async (_what, body, expected) => {
    const answer = await exchange(url, { method: 'POST', target: '/launches', headers: [authorized, json], body });

    expect(answer).toEqual(expected);
  });

  test.each([
    ['bytes', [bytes]],
    ['a form, as a web page sends it', [['content-type', 'application/x-www-form-urlencoded'] as const]],
    ['without a type', []],
  ])('that is %s', async (_what, headers) => {
    const request = { method: 'POST', target: '/launches', headers: [authorized, ...headers], body: '{}' };

    expect(await exchange(url, request)).toEqual(gatewaySays(415, 'Unsupported Media Type: expected application/json'));
  });
});

describe('a caller of /launches is refused', () => {
  const denied = gatewaySays(401, 'Unauthorized: expected the bearer token of this run');
  test.each([
    ['without a token', [], denied],
    ['with the token of another run', [['authorization', `Bearer ${'A'.repeat(43)}`]], denied],
    ['on a page of another site', [['origin', 'https://evil.example']], foreign],
    ['from a browser that reports another site', [['sec-fetch-site', 'cross-site']], foreign],
  ] as const)('%s', async (_what, headers, expected) => {
    const body = '{"profile":"idle","jobId":"1"}';

    const answer = await exchange(url, { method: 'POST', target: '/launches', headers: [...headers, json], body });

    expect(answer).toEqual(expected);
  });
});

test('the AWS services of the runtime refuse every caller without the key of this run', async () => {
  const { dynamoDbUrl, stepFunctionsUrl, secretsManagerUrl, eventBridgeUrl, lambdaUrl } = davit.runtime.services;
  const urls = [dynamoDbUrl, stepFunctionsUrl, secretsManagerUrl, eventBridgeUrl, lambdaUrl];

  const answers = await Promise.all(urls.map((service) => exchange(service, { method: 'POST', target: '/' })));

  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
});

describe('a webhook is refused', () => {
  test.each([
    ['that is empty', '', problem('body-malformed')],
    ['that is nested too deeply for a job', 'payload=%7B%7D', problem('body-malformed')],
    ['with only an action', '['.repeat(50_000) + ']'.repeat(50_000), problem('body-malformed')],
    ['of an action alone', '{"action":"queued"}', problem('request-invalid')],
    [
      'of a number too large to be an id',
      '{"action":"queued","repository":{"id":1e300},"workflow_job":{"id":1,"labels":[]}}',
      problem('request-invalid'),
    ],
    ['of more than 1 MiB', `"${'a'.repeat(mebibyte)}"`, problem('body-too-large')],
  ])('%s, even with a valid signature', async (_what, body, expected) => {
    expect(await exchange(url, signed(body))).toEqual(expected);
  });

  test.each([
    ['missing', []],
    ['empty', ['']],
    ['of another algorithm', ['sha1=2fd4e1c67a2d28fced849ee1bb76e7391b93eb12']],
    ['no hexadecimal', ['sha256=ß']],
    ['of another body', [`sha256=${'0'.repeat(64)}`]],
    ['very long', [`sha256=${'0'.repeat(8000)}`]],
  ])('with a signature that is %s', async (_what, signatures) => {
    const headers = [json, ['x-github-event', 'workflow_job'] as const];
    const wrong = signatures.map((signature) => ['x-hub-signature-256', signature] as const);
    const request = { method: 'POST', target: '/webhooks/github', headers: [...headers, ...wrong], body: '{}' };

    expect(await exchange(url, request)).toEqual(problem('signature-refused'));
  });

  test('with its signature twice, though both are valid', async () => {
    const { headers = [], ...request } = signed('{"action":"queued"}');

    expect(await exchange(url, { ...request, headers: [...headers, ...headers] })).toEqual(
      problem('signature-refused'),
    );
  });

  test('with a body that is not UTF-8, so that its bytes are not the signed ones', async () => {
    const { headers = [], ...request } = signed('{"action":"\ufffd"}');
    const body = Buffer.from('{"action":"\xff"}', 'latin1');
    const asBytes = headers.map((header) => (header === json ? bytes : header));

    expect(await exchange(url, { ...request, headers: asBytes, body })).toEqual(problem('body-malformed'));
  });

  test.each([
    ['missing', []],
    ['doubled', ['workflow_job', 'workflow_job']],
    ['no word', ['../workflow_job']],
  ])('with an event that is %s', async (_what, events) => {
    const { headers = [], ...request } = signed('{}');
    const others = headers.filter(([name]) => name !== 'x-github-event');
    const wrong = events.map((event) => ['x-github-event', event] as const);

    expect(await exchange(url, { ...request, headers: [...others, ...wrong] })).toEqual(problem('request-invalid'));
  });
});

describe('malformed HTTP is answered with 400 where the server can', () => {
  test.each([
    ['no HTTP', 'EHLO davit\r\n\r\n'],
    ['bytes', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03, 0x0d, 0x0a])],
    ['an unknown method', 'FROBNICATE /launches HTTP/1.1\r\nhost: davit\r\n\r\n'],
    ['an unknown version', 'GET /launches HTTP/9.9\r\nhost: davit\r\n\r\n'],
    ['a negative length', 'POST /launches HTTP/1.1\r\nhost: davit\r\ncontent-length: -1\r\n\r\n'],
    ['two lengths', 'POST /launches HTTP/1.1\r\nhost: davit\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}'],
    [
      'a length and chunks',
      'POST /launches HTTP/1.1\r\nhost: d\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['invalid chunks', 'POST /launches HTTP/1.1\r\nhost: davit\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n'],
    ['a NUL in a header', 'GET /launches HTTP/1.1\r\nhost: davit\r\nx: \0\r\n\r\n'],
    ['a header without a name', 'GET /launches HTTP/1.1\r\nhost: davit\r\n: x\r\n\r\n'],
  ])('%s', async (_what, text) => {
    expect(await exchangeBytes(url, text)).toEqual(gatewaySays(400, 'Bad Request'));
  });

  test('no host', async () => {
    const answer = await exchangeBytes(url, 'GET /launches HTTP/1.1\r\nconnection: close\r\n\r\n');

    expect(answer.status).toBe(400);
  });

  test("headers over the gateway's limit", async () => {
    const headers = [['x-much', 'x'.repeat(11_000)] as const];

    const answer = await exchange(url, { method: 'GET', target: '/launches', headers });

    expect(answer).toEqual(gatewaySays(431, 'Request Header Fields Too Large'));
  });

  test('CONNECT, a method for proxies', async () => {
    expect(await exchangeBytes(url, 'CONNECT davit:80 HTTP/1.1\r\nhost: davit\r\n\r\n')).toMatchObject({ status: 0 });
  });
});

describe('an invalid id is not found', () => {
  const notFound = gatewaySays(404, 'Not Found');
  test.each([
    ['with a slash', 'a/b', notFound],
    ['with an encoded slash', 'a%2Fb', notFound],
    ['with an encoded NUL', 'a%00b', gatewaySays(400, 'Bad Request')],
    ['badly encoded', 'a%zz', gatewaySays(400, 'Bad Request')],
    ['half a character, encoded', '%c3', gatewaySays(400, 'Bad Request')],
    ['of 200 characters', 'a'.repeat(200), problem('launch-unknown')],
    ['in Unicode', encodeURIComponent('läunch-🚀'), problem('launch-unknown')],
    ['with a parent directory', '..', problem('launch-unknown')],
    ['with an encoded parent directory', '%2e%2e', problem('launch-unknown')],
    ['that every JavaScript object has', 'constructor', problem('launch-unknown')],
    ['with a wildcard', '*', problem('launch-unknown')],
    ['with a space', 'a%20b', problem('launch-unknown')],
    ['with a line break', 'a%0d%0aset-cookie:%20a', problem('launch-unknown')],
    ['in capitals', 'GITHUB-1-1-1', problem('launch-unknown')],
    ['that resembles a real one', 'github-1-1-1', problem('launch-unknown')],
  ])('%s', async (_what, id, expected) => {
    for (const method of ['GET', 'DELETE']) {
      expect(await exchange(url, { method, target: `/launches/${id}`, headers: [authorized] })).toEqual(expected);
    }
  });

  test.each(['a/b', 'a%2Fb'])('as a provider or an agent: %s', async (id) => {
    expect(await exchange(url, { method: 'POST', target: `/webhooks/${id}` })).toEqual(notFound);
    expect(await exchange(url, { method: 'POST', target: `/agents/${id}/connect` })).toEqual(notFound);
  });

  test.each(['..', 'constructor', 'GitHub', encodeURIComponent('gïthub'), 'g'.repeat(200)])(
    'as a provider or an agent that could exist: %s',
    async (id) => {
      const provider = await exchange(url, { method: 'POST', target: `/webhooks/${id}`, body: '{}' });
      const agent = await exchange(url, { method: 'POST', target: `/agents/${id}/connect` });

      expect([provider, agent]).toEqual([problem('ci-system-unknown'), problem('credential-refused')]);
    },
  );

  test.each([
    ['limit=0', 'limit=1000', 'limit=x', 'status=none', 'status=', 'what=else', 'cursor=', 'cursor=AAAA', 'cursor=%00'],
  ])('as the query of a list: %s and others', async (...queries) => {
    for (const query of queries) {
      const answer = await exchange(url, { method: 'GET', target: `/launches?${query}`, headers: [authorized] });

      expect(answer).toEqual(problem('request-invalid'));
    }
  });
});

test.each(['PUT', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'M-SEARCH'])(
  'the method %s is not found',
  async (method) => {
    for (const target of ['/', '/launches', `/launches/${launchId}`, '/webhooks/github', '//launches', '/launches/']) {
      expect(await exchange(url, { method, target })).toEqual(gatewaySays(404, 'Not Found'));
    }
  },
);

describe('connect gives the same answer to', () => {
  test.each<[string, () => Promise<string | undefined>]>([
    ['nothing', async () => undefined],
    ['an empty credential', async () => 'Bearer '],
    ['another scheme', async () => `Basic ${await jwt({})}`],
    ['a credential of another agent', async () => `Bearer ${await credentialOf(davit.runtime, 'api-other')}`],
    ['a credential of another launch', async () => `Bearer ${await jwt({ launchId: 'api-other' })}`],
    ['a credential without a launch', async () => `Bearer ${await jwt({ launchId: undefined })}`],
    ['alg: none', unsigned],
    ['another key', async () => `Bearer ${await jwt({}, { key: 'k'.repeat(32) })}`],
    ['another audience', async () => `Bearer ${await jwt({}, { audience: 'somebody-else' })}`],
    ['an expired credential', async () => `Bearer ${await jwt({}, { expires: now() - 1 })}`],
    ['a truncated credential', async () => `Bearer ${(await jwt({})).slice(0, -1)}`],
    ['half a credential', async () => `Bearer ${(await jwt({})).split('.').slice(0, 2).join('.')}`],
    ['a very long one', async () => `Bearer ${'e'.repeat(9000)}`],
    ['two at once', async () => `Bearer ${await jwt({})}, Bearer ${await jwt({})}`],
    ['dots', async () => 'Bearer ...'],
  ])('%s', async (_what, credential) => {
    const authorization = await credential();
    const headers = authorization === undefined ? [] : [['authorization', authorization] as const];
    const target = `/agents/davit-${launchId}/connect`;

    const answer = await exchange(url, { method: 'POST', target, headers });

    const detail = 'The request has no credential that is valid for this agent.';
    const { status, title } = problems['credential-refused'];
    const body = { type: 'https://davit.dev/problems/credential-refused', title, status, detail };
    expect(answer).toEqual({ status: 401, contentType: 'application/problem+json', body });
  });

  test('none of these connected the launch, and its own agent still may connect', async () => {
    const own = credentialInPod(davit, `davit-${launchId}`);
    const headers = [['authorization', `Bearer ${own}`] as const];

    const { status } = await davit.launches.show(launchId);
    const answer = await exchange(url, { method: 'POST', target: `/agents/davit-${launchId}/connect`, headers });

    expect(status).toBe('launching');
    expect(answer.status).toBe(200);
  });
});

test('a launch still works afterwards', async () => {
  const job = newJob();

  const { status } = await davit.github.deliver(job, 'queued');
  const { token } = await registration(davit, job);
  const execution = await untilExecutionEnds(davit.runtime, job.launchId);

  expect({ status, ended: execution.status, agent: token.agentName }).toEqual({
    status: 202,
    ended: 'SUCCEEDED',
    agent: job.agentName,
  });
});

function now(): number {
  return Math.floor(Date.now() / 1000);
}

/** Signs a credential like the agent's own, except for the given claims. */
async function jwt(claims: object, options: { key?: string; audience?: string; expires?: number } = {}) {
  const subject = { sub: `davit-${launchId}`, launchId, ...claims };
  return new SignJWT(subject)
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer('davit')
    .setAudience(options.audience ?? 'davit-connect')
    .setIssuedAt(now() - 7200)
    .setExpirationTime(options.expires ?? now() + 3600)
    .sign(new TextEncoder().encode(options.key ?? credentialKey));
}

/** The agent's own credential, with `alg: none` and no signature. */
async function unsigned(): Promise<string> {
  const [, claims] = (await jwt({})).split('.');
  const header = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
  return `Bearer ${header}.${claims}.`;
}
