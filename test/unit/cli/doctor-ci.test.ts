import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { openCiSystems } from '../../../ci/open-ci-systems.ts';
import { type CheckedCiSystem, checkCiSystems } from '../../../cli/doctor/check-ci.ts';
import type { Finding } from '../../../cli/doctor/finding.ts';
import { CiSystemConfig } from '../../../core/ci/ci-system-config.ts';
import type { Profile } from '../../../core/config/profile.ts';
import { readConfig } from '../../../core/config/read-config.ts';
import { TransientError } from '../../../core/errors/errors.ts';
import { type CheckedGithub, startCheckedGithub } from '../../prove/ci/github/start-checked-github.ts';
import { type FakeBuildkite, startFakeBuildkite } from '../../support/buildkite/start-fake-buildkite.ts';
import { type FakeForgejo, startFakeForgejo } from '../../support/forgejo/start-fake-forgejo.ts';
import { type FakeGitlab, startFakeGitlab } from '../../support/gitlab/start-fake-gitlab.ts';
import { type FakeJenkins, startFakeJenkins } from '../../support/jenkins/start-fake-jenkins.ts';
import { testInstallationId } from '../../support/make-launch-deps.ts';
import { makeProfile } from '../../support/make-profile.ts';
import { type FakeScaleSets, startFakeScaleSets } from '../../support/scale-set/start-fake-scale-set.ts';

const url = 'https://davit.example.com/webhooks/acme';
const readInstallationId = async () => testInstallationId;
const own = generateKeyPairSync('rsa', { modulusLength: 2048 });
const another = generateKeyPairSync('rsa', { modulusLength: 2048 });

const jenkinsConfig = CiSystemConfig.parse({
  name: 'ci',
  provider: 'jenkins',
  url: 'https://ci.example.com',
  user: 'davit',
  webhookSecret: 'hook',
  tokenSecret: 'token',
});

/** A CI system of which nothing is asked. */
const openNothing: CheckedCiSystem = {
  listsJobsOf: 'organization',
  findRunners: async () => [],
  listJobs: async () => [],
  checkGroup: async () => {},
  listWebhooks: async () => [],
  listDeliveries: async () => ({ attempts: [] }),
  usage: () => ({ requests: 0 }),
};

let github: CheckedGithub;
beforeEach(async () => {
  github = await startCheckedGithub(['acme']);
  github.appKey = own.publicKey;
  github.hook.url = url;
});
afterEach(async () => {
  await github.stop();
  expect(github.problems).toEqual([]);
});

/** Checks the GitHub, in which davit acts as an App with this key. */
async function check(changes: Partial<Profile> = {}, key: KeyObject = own.privateKey): Promise<Finding[]> {
  return checkAs(
    { app: { id: 1, privateKeySecret: 'key' } },
    key.export({ type: 'pkcs1', format: 'pem' }).toString(),
    changes,
  );
}

/** Checks the GitHub, in which davit acts with the credential in the only secret. */
async function checkAs(acting: object, secret: string, changes: Partial<Profile> = {}): Promise<Finding[]> {
  const system = { name: 'acme', provider: 'github', url: github.url, webhookSecret: 'hook', ...acting };
  const ciSystems = [CiSystemConfig.parse(system)];
  const config = {
    ...(await readConfig('davit.yaml')),
    ciSystems,
    profiles: [makeProfile({ runner: 'github', ...changes })],
  };
  const read = async () => secret;
  const openCiSystem = openCiSystems({
    systems: ciSystems,
    secrets: { read, refresh: read },
    readInstallationId,
    timeoutMs: 60_000,
  });
  return checkCiSystems(config, { openCiSystem, scopes: [{ organization: 'acme' }] });
}

function problemsOf(findings: readonly Finding[]): Pick<Finding, 'about' | 'what'>[] {
  return findings.flatMap(({ verdict, about, what }) => (verdict === 'ok' ? [] : [{ about, what }]));
}

describe('the doctor reports about a GitHub', () => {
  test('that there is no problem', async () => {
    const findings = await check({ runnerGroup: 'builds' });

    expect(problemsOf(findings)).toEqual([]);
    expect(findings.map(({ what }) => what)).toContainEqual(expect.stringContaining('runner group builds'));
    expect(findings.map(({ what }) => what)).toContain(url);
  });

  test('that it does not answer, without advice about permissions', async () => {
    const openCiSystem = () => {
      const call = async () => {
        throw new TransientError('CiUnavailable', 'ci: GET https://ci.example.com/: fetch failed: ECONNREFUSED');
      };
      return { ...openNothing, findRunners: call, listJobs: call, checkRunners: call };
    };
    const config = { ...(await readConfig('davit.yaml')), ciSystems: [jenkinsConfig] };

    const findings = await checkCiSystems(config, { openCiSystem, scopes: [] });

    expect(findings.map(({ verdict, fix }) => ({ verdict, fix }))).toEqual(
      Array.from({ length: 3 }, () => ({
        verdict: 'problem',
        fix: 'see whether it is up, whether its url in davit.yaml is right, and whether this machine reaches it',
      })),
    );
  });

  test("that the key is not the App's, in GitHub's words, with the remedy", async () => {
    const [runners] = await check({}, another.privateKey);

    expect(runners).toMatchObject({
      verdict: 'problem',
      what: expect.stringMatching(/401: A JSON web token could not be decoded/),
      fix: expect.stringMatching(/the App's own private key/),
    });
  });

  test("that a permission is missing, in GitHub's words", async () => {
    github.failWith = { status: 403 };

    const [runners] = await check();

    expect(runners).toMatchObject({
      verdict: 'problem',
      what: expect.stringMatching(/403: as the test wants it/),
      fix: expect.stringMatching(/permission/),
    });
  });

  test("that it lacks a profile's runner group", async () => {
    expect(problemsOf(await check({ name: 'linux', runnerGroup: 'nowhere' }))).toEqual([
      { about: 'CI system acme: acme', what: expect.stringMatching(/acme has no runner group nowhere/) },
    ]);
  });

  test("that the App's webhook has another URL", async () => {
    github.hook.url = 'https://old.example.com/webhooks/acme-old';

    expect(problemsOf(await check())).toEqual([
      { about: 'CI system acme: acme: webhook', what: expect.stringContaining('https://old.example.com') },
    ]);
  });

  test("whether an organization has davit's webhook, when davit acts with a token", async () => {
    github.orgHooks.push(github.hook);
    const well = await checkAs({ tokenSecret: 'token' }, github.token);
    github.orgHooks.pop();
    const without = await checkAs({ tokenSecret: 'token' }, github.token);

    expect(problemsOf(well)).toEqual([]);
    expect(problemsOf(without)).toEqual([
      {
        about: 'CI system acme: acme: webhook',
        what: 'no webhook has a URL that ends in /webhooks/acme: there is none',
      },
    ]);
  });

  test('that the App does not subscribe to jobs', async () => {
    github.hook.events = ['push'];

    expect(problemsOf(await check())).toEqual([
      { about: 'CI system acme: acme: webhook', what: `the webhook to ${url} sends no jobs` },
    ]);
  });

  test('the answer to the last delivery, and the time of a failed one', async () => {
    const deliveredAtEpochMs = Date.UTC(2026, 5, 1);
    github.deliveries.push({
      id: 1,
      guid: 'g',
      statusCode: 401,
      action: 'queued',
      isRedelivery: false,
      deliveredAtEpochMs,
    });

    expect(problemsOf(await check())).toEqual([
      { about: 'CI system acme: acme: webhook', what: `the last delivery to ${url} was answered 401` },
      {
        about: 'CI system acme: webhooks',
        what: '1 deliveries failed, the last one at 2026-06-01T00:00:00.000Z',
      },
    ]);
  });
});

describe('the doctor reports about a Jenkins', () => {
  let jenkins: FakeJenkins;
  beforeEach(async () => {
    jenkins = await startFakeJenkins();
  });
  afterEach(() => jenkins.stop());

  async function checkJenkins(token = jenkins.user.apiToken): Promise<Finding[]> {
    const at = { url: jenkins.url, user: jenkins.user.name };
    const secrets = { webhookSecret: 'hook', tokenSecret: 'token' };
    const ciSystems = [CiSystemConfig.parse({ name: 'ci', provider: 'jenkins', ...at, ...secrets })];
    const config = { ...(await readConfig('davit.yaml')), ciSystems };
    const read = async () => token;
    const openCiSystem = openCiSystems({
      systems: ciSystems,
      secrets: { read, refresh: read },
      readInstallationId,
      timeoutMs: 60_000,
    });
    return checkCiSystems(config, { openCiSystem, scopes: [] });
  }

  test('that there is no problem, without a scope, and leaves nothing there', async () => {
    expect((await checkJenkins()).map(({ verdict }) => verdict)).toEqual(['ok', 'ok', 'ok']);
    expect(jenkins.state.nodes.size).toBe(0);
  });

  test.each(['Agent/Create', 'Agent/Connect', 'Agent/Disconnect', 'Agent/Delete'] as const)(
    "that %s is missing, in Jenkins' words",
    async (permission) => {
      jenkins.user.permissions.delete(permission);

      expect(problemsOf(await checkJenkins())).toEqual([
        { about: 'CI system ci', what: expect.stringContaining(`davit is missing the ${permission} permission`) },
      ]);
    },
  );

  test('that its token is wrong, with the remedy', async () => {
    const findings = await checkJenkins('wrong');

    expect(findings.map(({ verdict }) => verdict)).toEqual(['problem', 'problem', 'problem']);
    expect(findings[0]).toMatchObject({ what: expect.stringContaining(': 401'), fix: expect.stringMatching(/token/) });
  });
});

describe('the doctor reports about a scale set of GitHub', () => {
  let fake: FakeScaleSets;
  beforeEach(async () => {
    fake = await startFakeScaleSets('acme');
  });
  afterEach(() => fake.stop());

  async function checkScaleSet(token = fake.github.token): Promise<Finding[]> {
    const at = { url: fake.url, webhookSecret: 'hook', tokenSecret: 'token' };
    const scaleSet = { organization: 'acme', profile: 'linux' };
    const ciSystems = [CiSystemConfig.parse({ name: 'ci', provider: 'github', ...at, events: 'scaleSet', scaleSet })];
    const profiles = [makeProfile({ name: 'linux', labels: ['linux'], runner: 'github' })];
    const config = { ...(await readConfig('davit.yaml')), ciSystems, profiles };
    const read = async () => token;
    const secrets = { read, refresh: read };
    const openCiSystem = openCiSystems({ systems: ciSystems, secrets, timeoutMs: 60_000, readInstallationId });
    return checkCiSystems(config, { openCiSystem, scopes: [] });
  }

  test('that there is no problem, and makes no set', async () => {
    expect((await checkScaleSet()).map(({ verdict }) => verdict)).toEqual(['ok', 'ok']);
    expect(fake.sets).toEqual([]);
  });

  test('that GitHub has given the set other labels than its profile has', async () => {
    fake.sets.push({ id: 1, name: 'ci', runnerGroupId: 1, labels: [{ name: 'ci', type: 'System' }] });

    expect(problemsOf(await checkScaleSet())).toEqual([
      {
        about: 'CI system ci: acme',
        what: expect.stringContaining('the scale set ci has the labels ci, and its profile has linux'),
      },
    ]);
  });

  test('that its token is wrong, with the remedy', async () => {
    const findings = await checkScaleSet('wrong');

    expect(findings.map(({ verdict }) => verdict)).toEqual(['problem', 'problem']);
    expect(findings[1]).toMatchObject({ what: expect.stringContaining(': 401'), fix: expect.stringMatching(/token/) });
  });
});

describe('the doctor reports about a Buildkite', () => {
  let buildkite: FakeBuildkite;
  beforeEach(async () => {
    buildkite = await startFakeBuildkite();
  });
  afterEach(() => buildkite.stop());

  async function checkBuildkite(change: object = {}, token = buildkite.token): Promise<Finding[]> {
    const at = { url: buildkite.url, organization: 'acme', webhookSecret: 'hook', tokenSecret: 'token' };
    const ciSystems = [CiSystemConfig.parse({ name: 'ci', provider: 'buildkite', ...at, ...change })];
    const config = { ...(await readConfig('davit.yaml')), ciSystems };
    const read = async () => token;
    const openCiSystem = openCiSystems({
      systems: ciSystems,
      secrets: { read, refresh: read },
      readInstallationId,
      timeoutMs: 60_000,
    });
    return checkCiSystems(config, { openCiSystem, scopes: [] });
  }

  test('that there is no problem, and takes no job', async () => {
    const job = buildkite.state.enqueue();

    expect((await checkBuildkite()).map(({ verdict }) => verdict)).toEqual(['ok', 'ok', 'ok']);
    expect(job.state).toBe('scheduled');
  });

  test("that there is no such queue, in Buildkite's words", async () => {
    const problems = problemsOf(await checkBuildkite({ queue: 'other' }));

    expect(problems).toContainEqual({
      about: 'CI system ci',
      what: expect.stringContaining('404: Cluster queue not found'),
    });
  });

  test('that its token is wrong, with the remedy', async () => {
    const [finding] = (await checkBuildkite({}, 'wrong')).filter(({ verdict }) => verdict === 'problem');

    expect(finding).toMatchObject({ what: expect.stringContaining(': 401'), fix: expect.stringMatching(/token/) });
  });
});

describe('the doctor reports about a Forgejo', () => {
  let forgejo: FakeForgejo;
  beforeEach(async () => {
    forgejo = await startFakeForgejo();
  });
  afterEach(() => forgejo.stop());

  async function checkForgejo(change: object = {}, token = forgejo.token): Promise<Finding[]> {
    const at = { url: forgejo.url, scope: forgejo.scope, webhookSecret: 'hook', tokenSecret: 'token' };
    const ciSystems = [CiSystemConfig.parse({ name: 'ci', provider: 'forgejo', ...at, ...change })];
    const config = { ...(await readConfig('davit.yaml')), ciSystems };
    const read = async () => token;
    const openCiSystem = openCiSystems({
      systems: ciSystems,
      secrets: { read, refresh: read },
      readInstallationId,
      timeoutMs: 60_000,
    });
    return checkCiSystems(config, { openCiSystem, scopes: [] });
  }

  test('that there is no problem, and leaves no runner', async () => {
    expect((await checkForgejo()).map(({ verdict }) => verdict)).toEqual(['ok', 'ok', 'ok']);
    expect(forgejo.state.runners.size).toBe(0);
  });

  test("that its token lacks a scope, in Forgejo's words", async () => {
    forgejo.mayReadRepositories = false;

    expect(problemsOf(await checkForgejo())).toContainEqual({
      about: 'CI system ci',
      what: expect.stringContaining('token does not have at least one of required scope(s): [read:repository]'),
    });
  });

  test("that there is no such organization, in Forgejo's words", async () => {
    const problems = problemsOf(await checkForgejo({ scope: 'orgs/other' }));

    expect(problems).toContainEqual({
      about: 'CI system ci',
      what: expect.stringContaining("404: The target couldn't be found."),
    });
  });

  test('that its token is wrong, with the remedy', async () => {
    const [finding] = (await checkForgejo({}, 'wrong')).filter(({ verdict }) => verdict === 'problem');

    expect(finding).toMatchObject({ what: expect.stringContaining(': 401'), fix: expect.stringMatching(/token/) });
  });
});

describe('the doctor reports about a GitLab', () => {
  let gitlab: FakeGitlab;
  beforeEach(async () => {
    gitlab = await startFakeGitlab();
    gitlab.state.addProject('acme/app');
  });
  afterEach(() => gitlab.stop());

  async function checkGitlab(change: object = {}): Promise<Finding[]> {
    const at = { url: gitlab.url, group: 'acme', webhookSecret: 'hook', tokenSecret: 'token' };
    const ciSystems = [CiSystemConfig.parse({ name: 'ci', provider: 'gitlab', ...at, ...change })];
    const config = { ...(await readConfig('davit.yaml')), ciSystems };
    const read = async () => gitlab.token;
    const openCiSystem = openCiSystems({
      systems: ciSystems,
      secrets: { read, refresh: read },
      readInstallationId,
      timeoutMs: 60_000,
    });
    return checkCiSystems(config, { openCiSystem, scopes: [] });
  }

  test('that there is no problem, and leaves no runner', async () => {
    expect((await checkGitlab()).map(({ verdict }) => verdict)).toEqual(['ok', 'ok', 'ok']);
    expect(gitlab.state.runners.size).toBe(0);
  });

  test.each(['create_runner', 'manage_runner', 'read_api'])(
    "that its token lacks the scope %s, in GitLab's words",
    async (scope) => {
      gitlab.scopes.delete(scope);

      const problems = problemsOf(await checkGitlab());

      expect(problems.at(-1)?.what).toContain(
        'The request requires higher privileges than provided by the access token.',
      );
      expect(problems.at(-1)?.what).toContain(scope);
    },
  );

  test("that there is no such group, in GitLab's words", async () => {
    expect(problemsOf(await checkGitlab({ group: 'nowhere' }))).toContainEqual({
      about: 'CI system ci',
      what: expect.stringContaining('404: 404 Group Not Found'),
    });
  });
});
