import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { openCiSystems } from '../../../ci/open-ci-systems.ts';
import { type CheckedCiSystem, checkCiSystems } from '../../../cli/doctor/check-ci.ts';
import type { Finding } from '../../../cli/doctor/finding.ts';
import type { CiScope } from '../../../core/ci/ci-scope.ts';
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

/** Checks a CI system, in which davit acts with this credential. */
async function checkSystem(
  system: object,
  credential: string,
  { profiles, scopes = [] }: { profiles?: Profile[]; scopes?: CiScope[] } = {},
): Promise<Finding[]> {
  const acting = 'app' in system ? {} : { tokenSecret: 'token' };
  const ciSystems = [CiSystemConfig.parse({ name: 'ci', webhookSecret: 'hook', ...acting, ...system })];
  const config = { ...(await readConfig('davit.yaml')), ciSystems, ...(profiles && { profiles }) };
  const read = async () => credential;
  const openCiSystem = openCiSystems({
    systems: ciSystems,
    secrets: { read, refresh: read },
    readInstallationId: async () => testInstallationId,
    timeoutMs: 60_000,
  });
  return checkCiSystems(config, { openCiSystem, scopes });
}

/** Checks the GitHub, in which davit acts as an App with this key. */
async function checkApp(changes: Partial<Profile> = {}, key: KeyObject = own.privateKey): Promise<Finding[]> {
  const app = { id: 1, privateKeySecret: 'key' };
  return checkGithub({ app }, key.export({ type: 'pkcs1', format: 'pem' }).toString(), changes);
}

async function checkGithub(acting: object, credential: string, changes: Partial<Profile> = {}): Promise<Finding[]> {
  const profiles = [makeProfile({ runner: 'github', ...changes })];
  const system = { name: 'acme', provider: 'github', url: github.url, ...acting };
  return checkSystem(system, credential, { profiles, scopes: [{ organization: 'acme' }] });
}

function problemsOf(findings: readonly Finding[]): Pick<Finding, 'about' | 'what'>[] {
  return findings.flatMap(({ verdict, about, what }) => (verdict === 'ok' ? [] : [{ about, what }]));
}

describe('the doctor reports about a GitHub', () => {
  test('that there is no problem', async () => {
    const findings = await checkApp({ runnerGroup: 'builds' });

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
    const [runners] = await checkApp({}, another.privateKey);

    expect(runners).toMatchObject({
      verdict: 'problem',
      what: expect.stringMatching(/401: A JSON web token could not be decoded/),
      fix: expect.stringMatching(/the App's own private key/),
    });
  });

  test("that a permission is missing, in GitHub's words", async () => {
    github.failWith = { status: 403 };

    const [runners] = await checkApp();

    expect(runners).toMatchObject({
      verdict: 'problem',
      what: expect.stringMatching(/403: as the test wants it/),
      fix: expect.stringMatching(/permission/),
    });
  });

  test("that it lacks a profile's runner group", async () => {
    expect(problemsOf(await checkApp({ name: 'linux', runnerGroup: 'nowhere' }))).toEqual([
      { about: 'CI system acme: acme', what: expect.stringMatching(/acme has no runner group nowhere/) },
    ]);
  });

  test("that the App's webhook has another URL", async () => {
    github.hook.url = 'https://old.example.com/webhooks/acme-old';

    expect(problemsOf(await checkApp())).toEqual([
      { about: 'CI system acme: acme: webhook', what: expect.stringContaining('https://old.example.com') },
    ]);
  });

  test("whether an organization has davit's webhook, when davit acts with a token", async () => {
    github.orgHooks.push(github.hook);
    const well = await checkGithub({}, github.token);
    github.orgHooks.pop();
    const without = await checkGithub({}, github.token);

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

    expect(problemsOf(await checkApp())).toEqual([
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

    expect(problemsOf(await checkApp())).toEqual([
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

  const checkJenkins = (token = jenkins.user.apiToken) =>
    checkSystem({ provider: 'jenkins', url: jenkins.url, user: jenkins.user.name }, token);

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

  const checkScaleSet = (token = fake.github.token) =>
    checkSystem(
      {
        provider: 'github',
        url: fake.url,
        events: 'scaleSet',
        scaleSet: { organization: 'acme', profile: 'linux' },
      },
      token,
      { profiles: [makeProfile({ name: 'linux', labels: ['linux'], runner: 'github' })] },
    );

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

  const checkBuildkite = (change: object = {}, token = buildkite.token) =>
    checkSystem({ provider: 'buildkite', url: buildkite.url, organization: 'acme', ...change }, token);

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

  const checkForgejo = (change: object = {}, token = forgejo.token) =>
    checkSystem({ provider: 'forgejo', url: forgejo.url, scope: forgejo.scope, ...change }, token);

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

  const checkGitlab = (change: object = {}) =>
    checkSystem({ provider: 'gitlab', url: gitlab.url, group: 'acme', ...change }, gitlab.token);

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
