import { createHmac } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { openCiSystems } from '../../../../ci/open-ci-systems.ts';
import { checkCiSystems } from '../../../../cli/doctor/check-ci.ts';
import type { Finding } from '../../../../cli/doctor/finding.ts';
import { CiSystemConfig } from '../../../../core/ci/ci-system-config.ts';
import { readConfig } from '../../../../core/config/read-config.ts';
import { startLoopbackServer } from '../../../../local/loopback-server.ts';
import { testInstallationId } from '../../../support/make-launch-deps.ts';
import { buildGitea } from '../gitea/build-gitea.ts';
import { createGiteaClient } from '../gitea/gitea-client.ts';
import { type Gitea, startGitea } from '../gitea/start-gitea.ts';

const readInstallationId = async () => testInstallationId;

let gitea: Gitea;
beforeAll(async () => {
  gitea = await startGitea(await buildGitea((text) => process.stderr.write(`${text}\n`)));
});
afterAll(async () => {
  await gitea[Symbol.asyncDispose]();
});

function open(token: string) {
  const system = {
    name: 'gitea',
    provider: 'gitea',
    url: gitea.url,
    webhookSecret: 'hook',
    tokenSecret: 'token',
  };
  const ciSystems = [CiSystemConfig.parse(system)];
  const read = async () => token;
  return {
    ciSystems,
    openCiSystem: openCiSystems({
      systems: ciSystems,
      secrets: { read, refresh: read },
      readInstallationId,
      timeoutMs: 60_000,
    }),
  };
}

/** Runs the doctor for an organization of the Gitea. */
async function check(organization: string, token: string): Promise<Finding[]> {
  const { ciSystems, openCiSystem } = open(token);
  const config = { ...(await readConfig('davit.yaml')), ciSystems };
  return checkCiSystems(config, { openCiSystem, scopes: [{ organization }] });
}

test('the doctor finds the faults of a real Gitea, in its words, and reports none where there are none', async () => {
  const client = createGiteaClient(gitea);
  await client.createOrganization('acme');
  const hook = { url: 'http://127.0.0.1:1/webhooks/gitea', secret: 'a secret' };

  const refused = await check('acme', 'wrong');
  const unknown = await check('nowhere', gitea.adminToken);
  const without = await check('acme', gitea.adminToken);
  await client.createWebhook('acme', hook);
  const well = await check('acme', gitea.adminToken);

  expect(refused[0]).toMatchObject({
    verdict: 'problem',
    what: expect.stringMatching(/401: /),
    fix: expect.stringMatching(/a token that is valid/),
  });
  expect(unknown[0]).toMatchObject({ verdict: 'problem', what: expect.stringMatching(/404: /) });
  expect(without.map(({ verdict }) => verdict)).toEqual(['ok', 'ok', 'problem', 'skipped', 'ok']);
  expect(without[2]?.what).toBe('no webhook has a URL that ends in /webhooks/gitea: there is none');
  expect(well.map(({ verdict }) => verdict)).toEqual(['ok', 'ok', 'ok', 'skipped', 'ok']);
  expect(well[2]?.what).toBe(hook.url);
});

test('the webhook of a real Gitea is made once, and signs with the secret that it was given last', async () => {
  const client = createGiteaClient(gitea);
  await client.createOrganization('hooks');
  await client.createRepository('hooks', 'app');
  const delivered = Promise.withResolvers<{ signature: unknown; event: unknown; body: string }>();
  await using receiver = await startReceiver(delivered.resolve);
  const { openCiSystem } = open(gitea.adminToken);
  const hook = { url: `${receiver.url}/webhooks/gitea`, secret: 'the first secret' };
  const put = async (secret: string) =>
    openCiSystem('gitea').putWebhook?.({ organization: 'hooks' }, { ...hook, secret });

  const outcomes = [await put(hook.secret), await put('the second secret')];
  await client.commitWorkflow(
    'hooks',
    'app',
    'first.yaml',
    'on: [push]\njobs: {a: {runs-on: x, steps: [{run: echo}]}}',
  );
  const { signature, event, body } = await delivered.promise;

  expect(outcomes).toEqual(['made', 'corrected']);
  expect(await openCiSystem('gitea').listWebhooks({ organization: 'hooks' })).toEqual([
    { url: hook.url, isActive: true, sendsJobs: true },
  ]);
  expect(event).toBe('workflow_job');
  expect(signature).toBe(`sha256=${createHmac('sha256', 'the second secret').update(body).digest('hex')}`);
});

/** Takes the first delivery of a webhook. */
async function startReceiver(take: (delivery: { signature: unknown; event: unknown; body: string }) => void) {
  const server = await startLoopbackServer((request, response) => {
    const { 'x-hub-signature-256': signature, 'x-gitea-event': event } = request.headers;
    void buffer(request).then((body) => {
      take({ signature, event, body: body.toString() });
      return response.writeHead(200).end();
    });
  });
  return { ...server, [Symbol.asyncDispose]: () => server.stop() };
}
