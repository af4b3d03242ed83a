import { generateKeyPairSync } from 'node:crypto';
import { createGithub } from '../../../../ci/github/create-github.ts';
import { byApp, byToken } from '../../../../ci/github/github-authorization.ts';
import type { CiScope } from '../../../../core/ci/ci-scope.ts';
import type { Delivery } from '../../../../local/github/app-routes.ts';
import type { CiSystem } from '../../../../ports/ci-system.ts';
import { type CheckedGithub, startCheckedGithub } from '../../../prove/ci/github/start-checked-github.ts';

const scope: CiScope = { organization: 'acme' };
let github: CheckedGithub;
let ci: CiSystem;

beforeEach(async () => {
  github = await startCheckedGithub(['acme']);
  ci = createGithub({
    name: 'github',
    apiUrl: github.url,
    ...byToken(async () => github.token),
    timeoutMs: 60_000,
  });
});

afterEach(async () => {
  await github.stop();
  expect(github.problems).toEqual([]);
});

function asApp(): CiSystem {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  const app = byApp({ appId: 1, readPrivateKey: async () => pem }, github.url, 60_000);
  return createGithub({ name: 'github', apiUrl: github.url, ...app, timeoutMs: 60_000 });
}

function attemptOf(attempt: Pick<Delivery, 'id' | 'guid' | 'statusCode'>): Delivery {
  const deliveredAtEpochMs = Date.UTC(2026, 0, 1) + attempt.id * 1000;
  return { ...attempt, action: 'queued', isRedelivery: attempt.id > 2, deliveredAtEpochMs };
}

test('a name that is longer than GitHub takes is refused, without a request', async () => {
  const name = `davit-${'x'.repeat(59)}`;

  const registration = ci.register(scope, { name, labels: ['linux'] });

  await expect(registration).rejects.toThrow(`CiRefused: github: ${name} is longer than 64 characters`);
});

test('a runner goes into the group of that name', async () => {
  await ci.register(scope, { name: 'davit-1', labels: ['linux'], group: 'builds' });

  expect([...github.state.runners.values()].map(({ groupId }) => groupId)).toEqual([2]);
});

test('a group that does not exist is refused by its name', async () => {
  const registration = ci.register(scope, { name: 'davit-1', labels: ['linux'], group: 'nowhere' });

  await expect(registration).rejects.toThrow(/CiRefused: github: acme has no runner group nowhere/);
});

describe("a group for the profile's repositories alone", () => {
  const wanted = { name: 'davit-1', labels: ['linux'], group: 'builds', repositories: ['acme/app-*', 'acme/site'] };

  test('is joined when no other repository may use it', async () => {
    github.state.groups[1] = { name: 'builds', repositories: ['app-1', 'site'] };

    await expect(ci.register(scope, wanted)).resolves.toHaveProperty('runner');
  });

  test('is refused when it is open to any other repository, and nothing is registered', async () => {
    const many = Array.from({ length: 105 }, (_, index) => `app-${index}`);
    github.state.groups[1] = { name: 'builds', repositories: [...many, 'secret'] };

    const registration = ci.register(scope, wanted);

    await expect(registration).rejects.toMatchObject({
      code: 'CiRefused',
      detail:
        "github: the runner group builds is open to acme/secret, too, and the profile's repositories are acme/app-*, acme/site",
    });
    expect(github.state.runners.size).toBe(0);
  });

  test('is refused when it is open to all repositories', async () => {
    const registration = ci.register(scope, wanted);

    await expect(registration).rejects.toThrow(
      /CiRefused: github: the runner group builds is open to all repositories/,
    );
    expect(github.state.runners.size).toBe(0);
  });
});

test('an answer that throttles is a transient outage, and pauses all requests until the time it names', async () => {
  github.failWith = { status: 429, headers: { 'retry-after': '60' } };
  await expect(ci.findRunners(scope, 'davit-')).rejects.toMatchObject({ code: 'CiUnavailable' });
  github.failWith = undefined;
  const { requests, pausedUntilEpochMs = 0 } = ci.usage();

  const asked = ci.findRunners(scope, 'davit-');

  await expect(asked).rejects.toMatchObject({ code: 'CiUnavailable', detail: expect.stringContaining('no request') });
  expect(ci.usage().requests).toBe(requests);
  expect(pausedUntilEpochMs).toBeGreaterThan(Date.now());
});

test("GitHub's secondary limit without Retry-After is a transient outage, and pauses all requests", async () => {
  const message = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
  github.failWith = { status: 403, message };
  await expect(ci.findRunners(scope, 'davit-')).rejects.toMatchObject({ code: 'CiUnavailable' });
  github.failWith = undefined;

  const asked = ci.findRunners(scope, 'davit-');

  await expect(asked).rejects.toMatchObject({ code: 'CiUnavailable', detail: expect.stringContaining('no request') });
});

test("an App's attempts to deliver are listed, newest first, and repeated", async () => {
  github.deliveries.push(
    attemptOf({ id: 1, guid: 'mended', statusCode: 502 }),
    attemptOf({ id: 2, guid: 'mended', statusCode: 202 }),
  );
  const app = asApp();

  const { attempts } = await app.listDeliveries();
  await app.redeliver('1');

  expect(attempts).toMatchObject([
    { id: '2', guid: 'mended', event: 'workflow_job', hasSucceeded: true },
    { id: '1', guid: 'mended', event: 'workflow_job', hasSucceeded: false },
  ]);
  expect(github.redelivered).toEqual([1]);
});

test('without an App no delivery is listed or redelivered', async () => {
  expect(await ci.listDeliveries()).toEqual({ attempts: [] });
  await expect(ci.redeliver('1')).rejects.toMatchObject({ code: 'CiRefused' });
});

test('a GitHub that cannot be reached is unavailable', async () => {
  await github.stop();

  await expect(ci.findRunners(scope, 'davit-')).rejects.toMatchObject({ code: 'CiUnavailable' });
});

test('a list of runs that has not changed costs nothing', async () => {
  const repository = { owner: 'acme', name: 'quiet' };
  const [job] = github.state.queueRun('acme', 'quiet', [{ name: 'build', labels: ['linux'], steps: [] }]);
  Object.assign(job, { status: 'completed', conclusion: 'success' });
  await ci.listJobs({ repository }, ['queued']);
  const first = ci.usage().requests;

  const again = await ci.listJobs({ repository }, ['queued']);

  expect([first, ci.usage().requests, again]).toEqual([3, 3, []]);
});

test('a runner is found by its name with one request', async () => {
  const { runner } = await ci.register(scope, { name: 'davit-1', labels: ['linux'] });
  for (let number = 2; number < 150; number += 1)
    github.state.register({ name: `davit-1${number}`, labels: ['linux'], groupId: 1, scope: 'acme' });
  const before = ci.usage().requests;

  expect(await ci.runnersNamed(scope, 'davit-1')).toEqual([runner]);
  expect(ci.usage().requests - before).toBe(1);
});

test('a runner group is looked up once for many registrations', async () => {
  const asked: string[] = [];
  github.beforeAnswer = async (method, path) => void asked.push(`${method} ${path}`);
  for (let number = 0; number < 5; number += 1) {
    await ci.register(scope, { name: `davit-${number}`, labels: ['linux'], group: 'builds' });
  }

  expect(asked.filter((what) => what.includes('runner-groups'))).toHaveLength(1);
});
