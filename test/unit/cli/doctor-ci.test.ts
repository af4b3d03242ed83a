import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { openCiSystems } from '../../../ci/open-ci-systems.ts';
import { type CheckedCiSystem, checkCiSystems, scopesOf } from '../../../cli/doctor/check-ci.ts';
import type { Finding, Verdict } from '../../../cli/doctor/finding.ts';
import type { CiScope } from '../../../core/ci/ci-scope.ts';
import { CiSystemConfig } from '../../../core/ci/ci-system-config.ts';
import type { Profile } from '../../../core/config/profile.ts';
import { readConfig } from '../../../core/config/read-config.ts';
import { TerminalError, TransientError } from '../../../core/errors/errors.ts';
import { type CheckedGithub, startCheckedGithub } from '../../prove/ci/github/start-checked-github.ts';
import { startFakeBuildkite } from '../../support/buildkite/start-fake-buildkite.ts';
import { startFakeForgejo } from '../../support/forgejo/start-fake-forgejo.ts';
import { startFakeGitlab } from '../../support/gitlab/start-fake-gitlab.ts';
import { startFakeJenkins } from '../../support/jenkins/start-fake-jenkins.ts';
import { testInstallationId } from '../../support/make-launch-deps.ts';
import { makeProfile } from '../../support/make-profile.ts';
import { type FakeScaleSets, startFakeScaleSets } from '../../support/scale-set/start-fake-scale-set.ts';

const hookUrl = 'https://davit.example.com/webhooks/acme';
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
const githubConfig = CiSystemConfig.parse({
  name: 'acme',
  provider: 'github',
  webhookSecret: 'hook',
  tokenSecret: 'token',
});

/** Checks a CI system in which nothing is wrong, but for these answers. */
async function checkAnswers(system: CiSystemConfig, answers: Partial<CheckedCiSystem>, isRunning = true) {
  const wellBehaved: CheckedCiSystem = {
    listsJobsOf: 'organization',
    findRunners: async () => [],
    listJobs: async () => [],
    checkGroup: async () => {},
    listWebhooks: async () => [{ url: hookUrl, isActive: true, sendsJobs: true }],
    listDeliveries: async () => ({ attempts: [] }),
    usage: () => ({ requests: 0 }),
  };
  const config = { ...(await readConfig('davit.yaml')), ciSystems: [system] };
  const openCiSystem = () => ({ ...wellBehaved, ...answers });
  return checkCiSystems(config, { openCiSystem, scopes: [{ organization: 'acme' }], isRunning });
}

let github: CheckedGithub;
beforeEach(async () => {
  github = await startCheckedGithub(['acme']);
  github.appKey = own.publicKey;
  github.hook.url = hookUrl;
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
    expect(findings.map(({ what }) => what)).toContain(hookUrl);
  });

  test('that it does not answer, without advice about permissions', async () => {
    const call = async () => {
      throw new TransientError('CiUnavailable', 'ci: GET https://ci.example.com/: fetch failed: ECONNREFUSED');
    };

    const findings = await checkAnswers(jenkinsConfig, { findRunners: call, listJobs: call, checkRunners: call });

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

  const delivered = { guid: 'g', statusCode: 401, action: 'queued', isRedelivery: false } as const;
  test.each<[what: string, change: () => void, about: string[], seen: string[]]>([
    [
      "the App's webhook has another URL",
      () => void (github.hook.url = 'https://old.example.com/webhooks/acme-old'),
      ['acme: webhook'],
      ['no webhook has a URL that ends in /webhooks/acme: there are https://old.example.com/webhooks/acme-old'],
    ],
    [
      'the App does not subscribe to jobs',
      () => void (github.hook.events = ['push']),
      ['acme: webhook'],
      [`the webhook to ${hookUrl} sends no jobs`],
    ],
    [
      'the last delivery was refused',
      () => void github.deliveries.push({ ...delivered, id: 1, deliveredAtEpochMs: Date.UTC(2026, 5, 1) }),
      ['acme: webhook', 'webhooks'],
      [
        `the last delivery to ${hookUrl} was answered 401`,
        '1 deliveries failed, the last one at 2026-06-01T00:00:00.000Z',
      ],
    ],
  ])('that %s', async (_what, change, about, seen) => {
    change();

    expect(problemsOf(await checkApp())).toEqual(
      seen.map((what, index) => ({ about: `CI system acme: ${about[index]}`, what })),
    );
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
});

describe('the doctor judges a webhook', () => {
  const noWebhook = { listWebhooks: async () => [] };
  const inactive = { listWebhooks: async () => [{ url: hookUrl, isActive: false, sendsJobs: true }] };
  const unlisted = {
    listWebhooks: async () => {
      throw new TerminalError('CiRefused', '404: Not Found');
    },
  };

  test.each<[what: string, answers: Partial<CheckedCiSystem>, isRunning: boolean, verdict: Verdict, words: RegExp]>([
    ['that is missing', noWebhook, true, 'problem', /there is none$/],
    ['that is missing before davit runs', noWebhook, false, 'warning', /there is none$/],
    ['that is not active', inactive, true, 'problem', /is not active$/],
    ['that the credential may not list', unlisted, true, 'skipped', /404: Not Found/],
  ])('%s', async (_what, answers, isRunning, verdict, words) => {
    const findings = await checkAnswers(githubConfig, answers, isRunning);

    expect(findings.filter((finding) => finding.verdict !== 'ok')).toEqual([
      expect.objectContaining({
        verdict,
        about: 'CI system acme: acme: webhook',
        what: expect.stringMatching(words),
      }),
    ]);
  });
});

test("CI systems are checked in the scopes of the profiles' allowlists, or in the caller's", async () => {
  const profiles = [makeProfile({ repositories: ['acme/*', 'other/app', '*/x'] })];
  const config = { ...(await readConfig('davit.yaml')), profiles };

  expect(scopesOf(config, [])).toEqual([{ organization: 'acme' }, { repository: { owner: 'other', name: 'app' } }]);
  expect(scopesOf(config, ['mine'])).toEqual([{ organization: 'mine' }]);
});

describe('the doctor reports about a scale set of GitHub', () => {
  let fake: FakeScaleSets;
  beforeEach(async () => {
    fake = await startFakeScaleSets('acme');
  });
  afterEach(() => fake.stop());

  const scaleSet = { organization: 'acme', profile: 'linux' };
  const profiles = [makeProfile({ name: 'linux', labels: ['linux'], runner: 'github' })];
  const checkScaleSet = (token = fake.github.token) =>
    checkSystem({ provider: 'github', url: fake.url, events: 'scaleSet', scaleSet }, token, { profiles });

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

/** A CI system that davit polls. */
interface Polled {
  /** Its entry in davit.yaml, and a change that makes it name what does not exist. */
  entry: object;
  missing?: object;
  token: string;
  /** What a check could leave there. */
  left: () => number;
  stop: () => Promise<void>;
}

const polled: Readonly<Record<string, () => Promise<Polled>>> = {
  async Jenkins() {
    const jenkins = await startFakeJenkins();
    const { url, user, state } = jenkins;
    const entry = { provider: 'jenkins', url, user: user.name };
    return { entry, token: user.apiToken, left: () => state.nodes.size, stop: () => jenkins.stop() };
  },
  async Buildkite() {
    const buildkite = await startFakeBuildkite();
    const { url, token, state } = buildkite;
    const job = state.enqueue();
    const entry = { provider: 'buildkite', url, organization: 'acme' };
    return {
      entry,
      missing: { queue: 'other' },
      token,
      left: () => Number(job.state !== 'scheduled'),
      stop: () => buildkite.stop(),
    };
  },
  async Forgejo() {
    const forgejo = await startFakeForgejo();
    const { url, scope, token, state } = forgejo;
    const entry = { provider: 'forgejo', url, scope };
    return {
      entry,
      missing: { scope: 'orgs/other' },
      token,
      left: () => state.runners.size,
      stop: () => forgejo.stop(),
    };
  },
  async GitLab() {
    const gitlab = await startFakeGitlab();
    const { url, token, state } = gitlab;
    state.addProject('acme/app');
    const entry = { provider: 'gitlab', url, group: 'acme' };
    return { entry, missing: { group: 'nowhere' }, token, left: () => state.runners.size, stop: () => gitlab.stop() };
  },
};

describe.each(Object.entries(polled))('the doctor reports about a %s', (_name, start) => {
  let system: Polled;
  beforeEach(async () => {
    system = await start();
  });
  afterEach(() => system.stop());

  test('that there is no problem, without a scope, and leaves nothing there', async () => {
    const findings = await checkSystem(system.entry, system.token);

    expect(findings.map(({ verdict }) => verdict)).toEqual(['ok', 'ok', 'ok']);
    expect(system.left()).toBe(0);
  });

  test('that its token is wrong, with the remedy', async () => {
    const [finding] = (await checkSystem(system.entry, 'wrong')).filter(({ verdict }) => verdict === 'problem');

    expect(finding).toMatchObject({ what: expect.stringContaining(': 401'), fix: expect.stringMatching(/token/) });
  });
});

test.each([
  ['queue', 'Buildkite', '404: Cluster queue not found'],
  ['organization', 'Forgejo', "404: The target couldn't be found."],
  ['group', 'GitLab', '404: 404 Group Not Found'],
])('the doctor reports that there is no such %s, in the words of %s', async (_what, name, words) => {
  const system = await polled[name]?.();
  if (system === undefined) throw new Error(`no ${name}`);

  const problems = problemsOf(await checkSystem({ ...system.entry, ...system.missing }, system.token));
  await system.stop();

  expect(problems).toContainEqual({ about: 'CI system ci', what: expect.stringContaining(words) });
});
