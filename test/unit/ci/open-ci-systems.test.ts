import { generateKeyPairSync } from 'node:crypto';
import { openCiSystems } from '../../../ci/open-ci-systems.ts';
import { CiSystemConfig } from '../../../core/ci/ci-system-config.ts';
import { type LoopbackServer, startLoopbackServer } from '../../../local/loopback-server.ts';
import type { CiSystem } from '../../../ports/ci-system.ts';
import { startCheckedGithub } from '../../prove/ci/github/start-checked-github.ts';
import { testInstallationId } from '../../support/make-launch-deps.ts';

const scope = { organization: 'acme' };
const webhookSecret = 'webhooks';
const readInstallationId = async () => testInstallationId;
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const privateKeyPem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

const running: LoopbackServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
});

/** In-memory secrets, cached until they are read anew. */
function rotated(before: string, after: string) {
  const refreshed: string[] = [];
  const read = async () => (refreshed.length === 0 ? before : after);
  const refresh = async (id: string) => {
    refreshed.push(id);
    return after;
  };
  return { refreshed, read, refresh };
}

async function startEnterpriseServer() {
  const github = await startCheckedGithub(['acme']);
  running.push(github);
  return github;
}

/** A Gitea without runners. */
async function startRunnerlessGitea(token: string): Promise<string> {
  const server = await startLoopbackServer((request, response) => {
    const isKnown = request.headers.authorization === `token ${token}`;
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isKnown ? { runners: [], total_count: 0 } : { message: 'invalid username or token' }));
  });
  running.push(server);
  return server.url;
}

function open(config: unknown, secrets: ReturnType<typeof rotated>, name = 'ci'): CiSystem {
  const systems = [CiSystemConfig.parse({ name: 'ci', webhookSecret, ...Object(config) })];
  return openCiSystems({ systems, secrets, readInstallationId, timeoutMs: 60_000 })(name);
}

describe('a rotated credential is read again, once, and the call is repeated', () => {
  test('a token for GitHub', async () => {
    const { url, token } = await startEnterpriseServer();
    const secrets = rotated('revoked', token);
    const ci = open({ provider: 'github', url, tokenSecret: 'github-token' }, secrets);

    expect(await ci.findRunners(scope, 'davit-')).toEqual([]);
    expect(await ci.findRunners(scope, 'davit-')).toEqual([]);
    expect(secrets.refreshed).toEqual(['github-token']);
  });

  test('a token for Gitea', async () => {
    const url = await startRunnerlessGitea('new');
    const secrets = rotated('revoked', 'new');
    const ci = open({ provider: 'gitea', url, tokenSecret: 'gitea-token' }, secrets);

    expect(await ci.findRunners(scope, 'davit-')).toEqual([]);
    expect(secrets.refreshed).toEqual(['gitea-token']);
  });

  test("and if the repeated call is refused, the error has the CI system's words", async () => {
    const url = await startRunnerlessGitea('of another App');
    const secrets = rotated('revoked', 'revoked, too');
    const ci = open({ provider: 'gitea', url, tokenSecret: 'gitea-token' }, secrets);

    const refused = ci.findRunners(scope, 'davit-');

    await expect(refused).rejects.toMatchObject({ name: 'TerminalError', code: 'CiRefused' });
    await expect(refused).rejects.toThrow(/401: invalid username or token/);
    expect(secrets.refreshed).toEqual(['gitea-token']);
  });
});

test('a GitHub App acts by the tokens of its installation', async () => {
  const { url } = await startEnterpriseServer();
  const secrets = rotated(privateKeyPem, privateKeyPem);
  const ci = open({ provider: 'github', url, app: { id: 7, privateKeySecret: 'app-key' } }, secrets);

  expect(await ci.findRunners(scope, 'davit-')).toEqual([]);
  expect(secrets.refreshed).toEqual([]);
});

test('a CI system is opened once', () => {
  const systems = [CiSystemConfig.parse({ name: 'ci', provider: 'github', webhookSecret, tokenSecret: 'token' })];
  const ciSystemOf = openCiSystems({
    systems,
    secrets: rotated('', ''),
    readInstallationId,
    timeoutMs: 60_000,
  });

  expect(ciSystemOf('ci')).toBe(ciSystemOf('ci'));
});

test('a CI system that davit.yaml lacks, or has without a credential, is refused by its name', () => {
  const secrets = rotated('', '');
  const withoutCredential = { provider: 'github' };

  expect(() => open(withoutCredential, secrets, 'other')).toThrow(/CiRefused: davit.yaml has no CI system other/);
  expect(() => open(withoutCredential, secrets)).toThrow(/CiRefused: davit.yaml gives no credential .* ci/);
  expect(() => open({ provider: 'standard' }, secrets)).toThrow(/CiRefused: the CI system ci only sends webhooks/);
});
