import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createGithub } from '../../../../../functions/adapters/ci/create-github.ts';
import { byApp, byToken } from '../../../../../functions/adapters/ci/github-authorization.ts';
import type { CiScope } from '../../../../../functions/domain/ci-scope.ts';
import type { CiSystem } from '../../../../../functions/ports/ci-system.ts';
import { type FakeGithub, startGithub } from '../../../../ci/github/start-github.ts';

const scope: CiScope = { organization: 'acme' };
let github: FakeGithub;
let ci: CiSystem;

beforeEach(async () => {
  github = await startGithub(['acme']);
  ci = createGithub({
    name: 'github',
    apiUrl: github.url,
    ...byToken(async () => github.token),
    timeoutMs: 2000,
  });
});

afterEach(async () => {
  await github.stop();
  expect(github.problems).toEqual([]);
});

function asApp(): CiSystem {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  const app = byApp({ appId: 1, readPrivateKey: async () => pem }, github.url);
  return createGithub({ name: 'github', apiUrl: github.url, ...app, timeoutMs: 2000 });
}

test('a name that is in use is a conflict, and its runner stays', async () => {
  const { runner } = await ci.register(scope, { name: 'davit-1', labels: ['linux'] });

  const again = ci.register(scope, { name: 'davit-1', labels: ['linux'] });

  await expect(again).rejects.toMatchObject({ name: 'TransientError', code: 'WriteConflict' });
  await expect(again).rejects.toThrow(/davit-1/);
  expect(await ci.findRunners(scope, 'davit-')).toEqual([runner]);
});

test('a runner goes into the group of that name', async () => {
  await ci.register(scope, { name: 'davit-1', labels: ['linux'], group: 'builds' });

  expect([...github.state.runners.values()].map(({ groupId }) => groupId)).toEqual([2]);
});

test('a group that does not exist is refused by its name', async () => {
  const registration = ci.register(scope, { name: 'davit-1', labels: ['linux'], group: 'nowhere' });

  await expect(registration).rejects.toThrow(/CiRefused: github: acme has no runner group nowhere/);
});

test.each([
  { status: 429, headers: {} },
  { status: 403, headers: { 'retry-after': '60' } },
  { status: 403, headers: { 'x-ratelimit-remaining': '0' } },
  { status: 500, headers: {} },
])('$status with $headers is waited for', async (failure) => {
  github.failWith = failure;

  await expect(ci.findRunners(scope, 'davit-')).rejects.toMatchObject({ code: 'CiUnavailable' });
});

test('403 without a sign of throttling is a missing permission', async () => {
  github.failWith = { status: 403 };

  await expect(ci.findRunners(scope, 'davit-')).rejects.toMatchObject({ code: 'CiRefused' });
});

test('an App registers by the token of its installation', async () => {
  const registration = await asApp().register(scope, { name: 'davit-1', labels: ['linux'] });

  expect(github.state.runners.get(registration.runner.id)?.name).toBe('davit-1');
});

test('where the App is not installed, no runner is taken for one that is gone', async () => {
  const removal = asApp().removeIfIdle({ organization: 'nowhere' }, 1);

  await expect(removal).rejects.toMatchObject({ name: 'TerminalError', code: 'CiRefused' });
});

test('a delivery has failed when none of its attempts succeeded, and its latest attempt is redelivered', async () => {
  github.deliveries.push(
    { id: 1, guid: 'mended', statusCode: 502 },
    { id: 2, guid: 'failed', statusCode: 502 },
    { id: 3, guid: 'mended', statusCode: 202 },
    { id: 4, guid: 'failed', statusCode: 504 },
  );
  const app = asApp();

  const failed = await app.listFailedDeliveries();
  for (const { id } of failed) await app.redeliver(id);

  expect(failed).toMatchObject([{ id: 4, guid: 'failed', event: 'workflow_job', attempts: 2 }]);
  expect(github.redelivered).toEqual([4]);
});

test('without an App there is no list of deliveries, and none is redelivered', async () => {
  expect(await ci.listFailedDeliveries()).toEqual([]);
  await expect(ci.redeliver(1)).rejects.toMatchObject({ code: 'CiRefused' });
});

test('a GitHub that cannot be reached is unavailable', async () => {
  await github.stop();

  await expect(ci.findRunners(scope, 'davit-')).rejects.toMatchObject({ code: 'CiUnavailable' });
});
