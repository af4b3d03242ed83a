import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { noWebhookYet } from '../../../cli/github-app/manifest.ts';
import { runCli } from '../../../cli/run-cli.ts';
import { putWebhooks } from '../../../cli/webhook/put-webhooks.ts';
import { CiSystemConfig } from '../../../core/ci/ci-system-config.ts';
import { type CheckedGithub, startCheckedGithub } from '../../prove/ci/github/start-checked-github.ts';
import { type FakeGitlab, startFakeGitlab } from '../../support/gitlab/start-fake-gitlab.ts';
import { newFolder } from '../../support/new-folder.ts';
import { recordingTerminal } from '../../support/recording-terminal.ts';
import { type FakeGitea, startFakeGitea } from '../../support/start-fake-gitea.ts';

const publicUrl = 'https://davit.example.com';
const cluster = { name: 'builds', kubeconfigSecret: 'kubeconfig' };
const profile = { name: 'linux', labels: ['linux'], clusters: ['builds'], namespace: 'agents', agentPort: 50000 };
const { agentPort: _agentPort, ...withoutPort } = profile;
const profileOfSet = { ...withoutPort, name: 'of-set', labels: ['of-set'], runner: 'github' };
const template = { spec: { containers: [{ name: 'agent', image: 'agent' }] } };

let github: CheckedGithub;
let gitea: FakeGitea;
let folder: string;
beforeEach(async () => {
  [github, gitea] = await Promise.all([startCheckedGithub(['acme']), startFakeGitea()]);
  folder = newFolder();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  for (const [name, text] of Object.entries({ key, token: github.token, secret: 'a-secret-of-webhooks' }))
    writeFileSync(join(folder, name), text);
});
afterEach(async () => {
  await Promise.all([github.stop(), gitea.stop()]);
  expect(github.problems).toEqual([]);
});

/** An entry of davit.yaml, whose CI system has the name of its kind. */
const entryOf = (provider: string, url: string, more: object = { tokenSecret: 'token' }) => ({
  name: provider,
  provider,
  url,
  webhookSecret: 'hook',
  ...more,
});
const asApp = () => entryOf('github', github.url, { app: { id: 1, privateKeySecret: 'app-key' } });
const byToken = () => entryOf('github', github.url);
const onGitea = () => entryOf('gitea', gitea.url);

/** Runs `davit webhook` for these CI systems, with every secret in a file. */
async function webhook(ciSystems: readonly object[], ...args: string[]) {
  const ofSets = ciSystems.some((system) => 'scaleSet' in system) ? [profileOfSet] : [];
  const config = { ciSystems, clusters: [cluster], profiles: [{ ...profile, template }, ...ofSets] };
  writeFileSync(join(folder, 'davit.yaml'), stringify(config));
  const files = { hook: 'secret', token: 'token', 'app-key': 'key' };
  const secrets = Object.entries(files).flatMap(([name, file]) => ['--secret', `${name}=${join(folder, file)}`]);
  const place = ['--url', 'http://127.0.0.1:1', '--public-url', publicUrl, '--config', join(folder, 'davit.yaml')];
  const terminal = recordingTerminal();
  const exitCode = (await runCli(['webhook', ...place, ...secrets, ...args], terminal)) ?? 0;
  const output = [...terminal.lines, ...terminal.notes].join('\n');
  expect(output).not.toContain('a-secret-of-webhooks');
  return { exitCode, output };
}

const githubHook = { url: `${publicUrl}/webhooks/github`, secret: 'a-secret-of-webhooks' };
const giteaHook = { url: `${publicUrl}/webhooks/gitea`, secret: 'a-secret-of-webhooks' };

describe("a GitHub App's webhook", () => {
  test.each([
    ['that of an App without a davit', noWebhookYet('github')],
    ["davit's own", `${publicUrl}/webhooks/github`],
  ])('is turned to davit from %s', async (_what, url) => {
    github.hook.url = url;

    const { exitCode, output } = await webhook([asApp()]);

    expect({ exitCode, output }).toEqual({
      exitCode: 0,
      output: 'corrected  webhook of github: https://davit.example.com/webhooks/github',
    });
    expect(github.hook).toMatchObject(githubHook);
  });

  test('is not taken from another davit, unless a person says so', async () => {
    github.hook.url = 'https://other.example.com/webhooks/github';

    const { exitCode, output } = await webhook([asApp()]);
    expect(exitCode).toBe(1);
    expect(output).toMatch(/only webhook goes to https:\/\/other\.example\.com[^]*--replace turns it to /);
    expect(github.hook.url).toBe('https://other.example.com/webhooks/github');

    expect((await webhook([asApp()], '--replace')).exitCode).toBe(0);
    expect(github.hook).toMatchObject(githubHook);
  });
});

describe("an organization's webhook", () => {
  test('is made once on a GitHub, beside others, and gets a new secret when it is there', async () => {
    const other = { url: 'https://chat.example.com', events: ['push'] };
    github.orgHooks.push(other);

    expect((await webhook([byToken()], '--scope', 'acme')).output).toMatch(/^made +webhook of github: acme: https/);
    github.orgHooks[1] = { ...githubHook, secret: 'an older secret', events: ['push'] };
    expect((await webhook([byToken()], '--scope', 'acme')).output).toMatch(
      /^corrected +webhook of github: acme: https/,
    );

    expect(github.orgHooks).toEqual([other, { ...githubHook, events: ['push', 'workflow_job'] }]);
  });

  test('is made once on a Gitea, for an organization and for a repository', async () => {
    const scopes = ['--scope', 'acme', '--scope', 'ann/app'];

    expect((await webhook([onGitea()], ...scopes)).exitCode).toBe(0);
    const older = { ...giteaHook, secret: 'an older secret', events: ['push'], active: false, place: 'orgs/acme' };
    gitea.hooks[0] = { ...older, id: 1 };
    gitea.hooks.push({ ...older, id: 9, url: 'https://chat.example.com' });
    expect((await webhook([onGitea()], ...scopes)).exitCode).toBe(0);

    expect(gitea.hooks).toEqual([
      expect.objectContaining({ id: 9, url: 'https://chat.example.com' }),
      { ...giteaHook, id: 3, events: ['push', 'workflow_job'], active: true, place: 'orgs/acme' },
      { ...giteaHook, id: 4, events: ['workflow_job'], active: true, place: 'repos/ann/app' },
    ]);
  });

  test("is asked for in the CI system's words when davit's user may not make it, and others are made", async () => {
    gitea.refusal = { status: 403, message: 'user should be an owner of the organization' };

    const { exitCode, output } = await webhook([onGitea(), byToken()], '--scope', 'acme');

    expect(exitCode).toBe(1);
    expect(output).toMatch(/^failed +webhook of gitea: acme: CiRefused: .*403.*an owner of the organization/);
    expect(output).toMatch(/\n +→ the organization's owner may manage its webhooks/);
    expect(output).toMatch(/\nmade +webhook of github: acme: /);
    expect(output).toMatch(/1 of 2 webhooks could not be made/);
  });
});

describe("a GitLab's webhook", () => {
  let gitlab: FakeGitlab;
  beforeEach(async () => {
    gitlab = await startFakeGitlab();
    gitlab.scopes.add('api');
    gitlab.state.addProject('acme/tools/app');
    writeFileSync(join(folder, 'token'), gitlab.token);
  });
  afterEach(() => gitlab.stop());

  const onGitlab = (place: object = { group: 'acme' }) =>
    entryOf('gitlab', gitlab.url, { tokenSecret: 'token', ...place });
  const gitlabHook = { url: `${publicUrl}/webhooks/gitlab`, token: 'a-secret-of-webhooks', jobEvents: true };

  test.each([
    ['the group of davit.yaml', { group: 'acme' }, 'groups/acme'],
    ['the project of davit.yaml', { project: 'acme/tools/app' }, 'projects/acme/tools/app'],
  ])('is made for %s, and corrected', async (_what, place, expected) => {
    const line = 'webhook of gitlab: https://davit.example.com/webhooks/gitlab';

    expect(await webhook([onGitlab(place)])).toEqual({ exitCode: 0, output: `made       ${line}` });
    for (const hook of gitlab.hooks.all) hook.token = 'an older one';
    expect(await webhook([onGitlab(place)])).toEqual({ exitCode: 0, output: `corrected  ${line}` });

    expect(gitlab.hooks.all).toEqual([expect.objectContaining({ ...gitlabHook, place: expected })]);
  });

  test('is made for one project of the group, where a person says so', async () => {
    gitlab.hooks.isPremium = false;

    const { output } = await webhook([onGitlab()], '--scope', 'acme/tools/app');

    expect(output).toMatch(/^made +webhook of gitlab: acme\/tools\/app: https/);
    expect(gitlab.hooks.all).toEqual([expect.objectContaining({ ...gitlabHook, place: 'projects/acme/tools/app' })]);
  });

  test.each([
    ['a group without Premium', { group: 'acme' }, () => void (gitlab.hooks.isPremium = false), /404: 404 Not Found/],
    [
      'a token for runners alone',
      { group: 'acme' },
      () => void gitlab.scopes.delete('api'),
      /403: .*One of these scopes is needed: api/,
    ],
  ])('is not made with %s, which says what is needed', async (_what, place, change, words) => {
    change();

    const { exitCode, output } = await webhook([onGitlab(place)]);

    expect(exitCode).toBe(1);
    expect(output).toMatch(words);
    expect(output).toMatch(
      /→ a group's webhooks need GitLab Premium, the role Owner, and a token with the scope api: --secret token=FILE .*--scope acme\/PROJECT/,
    );
  });

  test("is not made for a project without the rights, which are a maintainer's", async () => {
    gitlab.scopes.delete('api');

    const { exitCode, output } = await webhook([onGitlab({ project: 'acme/tools/app' })]);

    expect(exitCode).toBe(1);
    expect(output).toMatch(/→ a project's webhooks need the role Maintainer, and a token with the scope api/);
  });
});

test('a deployment makes no webhook in a system that davit polls', async () => {
  const system = { name: 'gitlab', provider: 'gitlab', group: 'acme', webhookSecret: 'hook', tokenSecret: 'token' };
  const never = () => {
    throw new Error('nobody asks');
  };
  const plan = { systems: [CiSystemConfig.parse(system)], publicUrl, scopes: [], polledScopes: undefined };

  const put = await Array.fromAsync(putWebhooks({ ...plan, replace: false, readSecret: never, openCiSystem: never }));

  expect(put).toEqual([expect.objectContaining({ system: 'gitlab', outcome: 'skipped' })]);
});

test('a scale set gets a webhook only if davit.yaml has a secret for it', async () => {
  const { webhookSecret, ...byTokenAlone } = byToken();
  const ofSet = { ...byTokenAlone, events: 'scaleSet', scaleSet: { organization: 'acme', profile: 'of-set' } };

  const without = await webhook([ofSet], '--scope', 'acme');
  const withSecret = await webhook([{ ...ofSet, webhookSecret }], '--scope', 'acme');

  expect(without).toEqual({
    exitCode: 0,
    output: 'skipped    webhook of github: davit asks it for its jobs: it needs no webhook',
  });
  expect(withSecret.output).toBe('made       webhook of github: acme: https://davit.example.com/webhooks/github');
});

test('what cannot be done says what a person does', async () => {
  const withoutCredential = entryOf('github', github.url, {});
  const jenkins = entryOf('jenkins', 'https://jenkins.example.com', { user: 'davit', tokenSecret: 'token' });

  const { exitCode, output } = await webhook([withoutCredential, jenkins, onGitea()]);

  expect(exitCode).toBe(1);
  expect(output.split('\n').slice(0, 5)).toEqual([
    'skipped    webhook of github: davit has no credential there',
    '           → give its webhook the URL https://davit.example.com/webhooks/github, and the secret hook',
    'skipped    webhook of jenkins: davit asks it for its jobs: it needs no webhook',
    'failed     webhook of gitea: no organization is known',
    '           → name one: --scope acme',
  ]);
});

test('an unknown CI system, a URL that is none, and a davit without a public URL are named', async () => {
  expect(await webhook([onGitea()], 'github')).toMatchObject({
    exitCode: 3,
    output: expect.stringMatching(/has no CI system github: it has gitea/),
  });
  expect(await webhook([])).toMatchObject({
    exitCode: 3,
    output: expect.stringMatching(/davit\.yaml has no CI system$/),
  });
  expect(await webhook([onGitea()], '--public-url', 'davit.example.com')).toMatchObject({
    exitCode: 2,
    output: expect.stringMatching(/--public-url: expected an http or https URL, found 'davit\.example\.com'/),
  });
  const terminal = recordingTerminal();
  const exitCode = await runCli(['webhook', '--url', 'http://127.0.0.1:1', '--config', 'davit.yaml'], terminal);
  expect({ exitCode, notes: terminal.notes.join('\n') }).toEqual({
    exitCode: 2,
    notes: expect.stringMatching(/--public-url is required/),
  });
});
