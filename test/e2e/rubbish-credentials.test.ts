import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { SignJWT } from 'jose';
import { problems } from '../../functions/http/problems.ts';
import { credentialInPod, credentialOf, readSecret } from '../support/agent-credentials.ts';
import { idle, withProfiles } from '../support/profile-like.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';
import { exchange } from './exchange.ts';
import { comes, entered } from './moments.ts';

jest.setTimeout(120_000);

let davit: TestRuntime;
let url: string;
let key: string;
/** A launch whose agent has a token to get, and does not ask for it. */
let launchId: string;

beforeAll(async () => {
  davit = await startTestRuntime({ changeConfig: (config) => withProfiles(config, { idle: { agent: idle } }) });
  ({ url } = davit.runtime);
  key = await readSecret(davit.runtime, davit.runtime.services.credentialKeySecret);
  const published = comes(davit, entered('AwaitAgent'));
  launchId = await davit.launches.request({ profile: 'idle', jobId: 'rubbish' });
  await published;
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
});

describe('connect gives one and the same answer to', () => {
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
    ['a credential that is cut', async () => `Bearer ${(await jwt({})).slice(0, -1)}`],
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

  test('none of that connected the launch, and its own agent still may', async () => {
    const own = credentialInPod(davit, `davit-${launchId}`);
    const headers = [['authorization', `Bearer ${own}`] as const];

    const { status } = await davit.launches.show(launchId);
    const answer = await exchange(url, { method: 'POST', target: `/agents/davit-${launchId}/connect`, headers });

    expect(status).toBe('launching');
    expect(answer.status).toBe(200);
  });
});

function now(): number {
  return Math.floor(Date.now() / 1000);
}

/** A credential like the agent's own, but for what is given. */
async function jwt(claims: object, options: { key?: string; audience?: string; expires?: number } = {}) {
  const about = { sub: `davit-${launchId}`, launchId, ...claims };
  return new SignJWT(about)
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer('davit')
    .setAudience(options.audience ?? 'davit-connect')
    .setIssuedAt(now() - 7200)
    .setExpirationTime(options.expires ?? now() + 3600)
    .sign(new TextEncoder().encode(options.key ?? key));
}

/** The agent's own, with a signature of no algorithm. */
async function unsigned(): Promise<string> {
  const [, claims] = (await jwt({})).split('.');
  const header = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
  return `Bearer ${header}.${claims}.`;
}
