import { openCiSystems } from '../../../ci/open-ci-systems.ts';
import { checkCiSystems } from '../../../cli/doctor/check-ci.ts';
import type { Finding } from '../../../cli/doctor/finding.ts';
import { CiSystemConfig } from '../../../core/ci/ci-system-config.ts';
import { readConfig } from '../../../core/config/read-config.ts';
import { buildGitea } from '../gitea/build-gitea.ts';
import { createGiteaClient } from '../gitea/gitea-client.ts';
import { type Gitea, startGitea } from '../gitea/start-gitea.ts';

let gitea: Gitea;
beforeAll(async () => {
  gitea = await startGitea(await buildGitea((text) => process.stderr.write(`${text}\n`)));
});
afterAll(async () => {
  await gitea[Symbol.asyncDispose]();
});

/** Runs the doctor for an organization of the Gitea. */
async function check(organization: string, token: string): Promise<Finding[]> {
  const system = {
    name: 'gitea',
    provider: 'gitea',
    url: gitea.url,
    webhookSecret: 'hook',
    tokenSecret: 'token',
  };
  const ciSystems = [CiSystemConfig.parse(system)];
  const read = async () => token;
  const openCiSystem = openCiSystems({ systems: ciSystems, secrets: { read, refresh: read }, timeoutMs: 60_000 });
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
