import { createHmac } from 'node:crypto';
import { SignJWT } from 'jose';
import { problems } from '../../../../runtime/http/problems.ts';
import { gatewaySays, problem } from '../../../e2e/documented-answers.ts';
import { exchange, type RawRequest } from '../../../e2e/exchange.ts';
import { newJob, registration } from '../../../e2e/jobs.ts';
import { after, clusterRequest, comes, entered } from '../../../e2e/moments.ts';
import { credentialInPod, credentialOf } from '../../../support/agent-credentials.ts';
import { untilExecutionEnds } from '../../../support/execution-events.ts';
import { idle, withProfiles } from '../../../support/profile-like.ts';
import { type AwsTestRuntime, startAwsTestRuntime } from '../../../support/start-aws-test-runtime.ts';

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
  const watched = clusterRequest({ verb: 'watch', resource: 'pods' });
  const published = comes(davit, after<AwsTestRuntime>(entered('PublishToken'), watched));
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

describe('an invalid launch request is refused', () => {
  test.each([
    ['that is not JSON', '{"profile":', problem('body-malformed')],
    ['without a job', '{"profile":"linux"}', problem('request-invalid')],
    ['of an invalid profile', '{"profile":"__proto__","jobId":"1"}', problem('profile-unknown')],
    ['of 1 MiB and a byte', ' '.repeat(mebibyte + 1), problem('body-too-large')],
    ["of 7 MB, over Lambda's limit", ' '.repeat(7_000_000), gatewaySays(413, 'Request Entity Too Large')],
  ])('%s', async (_what, body, expected) => {
    const answer = await exchange(url, { method: 'POST', target: '/launches', headers: [authorized, json], body });

    expect(answer).toEqual(expected);
  });

  test.each([
    ['without a type', () => [authorized], gatewaySays(415, 'Unsupported Media Type: expected application/json')],
    ['without a token', () => [json], gatewaySays(401, 'Unauthorized: expected the bearer token of this run')],
    [
      'on a page of another site',
      () => [json, ['origin', 'https://evil.example'] as const],
      gatewaySays(403, 'Forbidden: the request comes from another site'),
    ],
  ])('%s', async (_what, headers, expected) => {
    const request = { method: 'POST', target: '/launches', headers: headers(), body: '{"profile":"idle","jobId":"1"}' };

    expect(await exchange(url, request)).toEqual(expected);
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
    ['that is not JSON', 'payload=%7B%7D', problem('body-malformed')],
    ['of an action alone', '{"action":"queued"}', problem('request-invalid')],
    ['of more than 1 MiB', `"${'a'.repeat(mebibyte)}"`, problem('body-too-large')],
  ])('%s, even with a valid signature', async (_what, body, expected) => {
    expect(await exchange(url, signed(body))).toEqual(expected);
  });

  test('with a signature of another body', async () => {
    const headers = [
      json,
      ['x-github-event', 'workflow_job'],
      ['x-hub-signature-256', `sha256=${'0'.repeat(64)}`],
    ] as const;
    const request = { method: 'POST', target: '/webhooks/github', headers, body: '{}' };

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

  test('with its event twice', async () => {
    const { headers = [], ...request } = signed('{}');
    const again = ['x-github-event', 'workflow_job'] as const;

    expect(await exchange(url, { ...request, headers: [...headers, again] })).toEqual(problem('request-invalid'));
  });
});

describe('an invalid id is not found', () => {
  test.each([
    ['with an encoded slash', 'a%2Fb', gatewaySays(404, 'Not Found')],
    ['badly encoded', 'a%zz', gatewaySays(400, 'Bad Request')],
    ['in Unicode', encodeURIComponent('läunch-🚀'), problem('launch-unknown')],
    ['with an encoded parent directory', '%2e%2e', problem('launch-unknown')],
    ['with a line break', 'a%0d%0aset-cookie:%20a', problem('launch-unknown')],
    ['that resembles a real one', 'github-1-1-1', problem('launch-unknown')],
  ])('%s', async (_what, id, expected) => {
    for (const method of ['GET', 'DELETE']) {
      expect(await exchange(url, { method, target: `/launches/${id}`, headers: [authorized] })).toEqual(expected);
    }
  });

  test.each(['..', 'constructor', 'GitHub', encodeURIComponent('gïthub'), 'g'.repeat(200)])(
    'as a provider or an agent: %s',
    async (id) => {
      const provider = await exchange(url, { method: 'POST', target: `/webhooks/${id}`, body: '{}' });
      const agent = await exchange(url, { method: 'POST', target: `/agents/${id}/connect` });

      expect([provider, agent]).toEqual([problem('ci-system-unknown'), problem('credential-refused')]);
    },
  );

  test('as the cursor of a list', async () => {
    const answer = await exchange(url, { method: 'GET', target: '/launches?cursor=AAAA', headers: [authorized] });

    expect(answer).toEqual(problem('request-invalid'));
  });
});

test('a method without a route is not found', async () => {
  for (const target of ['/', '/launches', `/launches/${launchId}`, '/webhooks/github', '//launches', '/launches/']) {
    expect(await exchange(url, { method: 'PATCH', target })).toEqual(gatewaySays(404, 'Not Found'));
  }
});

describe('connect gives the same answer to', () => {
  test.each<[string, () => Promise<string | undefined>]>([
    ['nothing', async () => undefined],
    ['a credential of another agent', async () => `Bearer ${await credentialOf(davit.runtime, 'api-other')}`],
    ['a credential of another launch', async () => `Bearer ${await jwt({ launchId: 'api-other' })}`],
    ['alg: none', unsigned],
    ['another key', async () => `Bearer ${await jwt({}, 'k'.repeat(32))}`],
    ['a very long one', async () => `Bearer ${'e'.repeat(9000)}`],
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

/** Signs a credential like the agent's own, except for the given claims and key. */
async function jwt(claims: object, key = credentialKey) {
  const issued = Math.floor(Date.now() / 1000);
  return new SignJWT({ sub: `davit-${launchId}`, launchId, ...claims })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer('davit')
    .setAudience('davit-connect')
    .setIssuedAt(issued)
    .setExpirationTime(issued + 3600)
    .sign(new TextEncoder().encode(key));
}

/** The agent's own credential, with `alg: none` and no signature. */
async function unsigned(): Promise<string> {
  const [, claims] = (await jwt({})).split('.');
  const header = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
  return `Bearer ${header}.${claims}.`;
}
