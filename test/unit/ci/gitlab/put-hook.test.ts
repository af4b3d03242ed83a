import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { createGitlab } from '../../../../ci/gitlab/create-gitlab.ts';
import { readJobHook } from '../../../../ci/gitlab/read-job-hook.ts';
import { everyOwner } from '../../../../core/ci/ci-scope.ts';
import { type LoopbackServer, startLoopbackServer } from '../../../../local/loopback-server.ts';
import { eventually } from '../../../support/eventually.ts';
import { fixedSigning } from '../../../support/fixed-secrets.ts';
import type { FakeHook } from '../../../support/gitlab/hook-routes.ts';
import { type FakeGitlab, startFakeGitlab } from '../../../support/gitlab/start-fake-gitlab.ts';

const scope = { organization: everyOwner };
const project = { repository: { owner: 'acme/tools', name: 'app' } };
const url = 'https://davit.example.com/webhooks/gitlab';
const signing = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const plain = 'a secret without a signature';

let gitlab: FakeGitlab;
beforeEach(async () => {
  gitlab = await startFakeGitlab();
  gitlab.scopes.add('api');
  gitlab.state.addProject('acme/tools/app');
});
afterEach(() => gitlab.stop());

const put = (secret: string, where: typeof scope | typeof project = scope, to = url, group = 'acme') =>
  createGitlab({
    name: 'gitlab',
    url: gitlab.url,
    group,
    settleSeconds: 60,
    readToken: async () => gitlab.token,
    timeoutMs: 10_000,
  }).putWebhook(where, { url: to, secret });

/** Adds a webhook that somebody made. */
function addHook(change: Partial<FakeHook>): FakeHook {
  const hook: FakeHook = {
    id: 7,
    place: 'groups/acme',
    url,
    pushEvents: false,
    jobEvents: true,
    isVerified: true,
    template: '',
    alertStatus: 'executable',
    ...change,
  };
  gitlab.hooks.all.push(hook);
  return hook;
}

test.each([
  ['a group', scope, 'groups/acme'],
  ['a project', project, 'projects/acme/tools/app'],
])('the webhook of %s is made once, for the events of jobs alone', async (_what, where, place) => {
  expect(await put(signing, where)).toBe('made');
  expect(await put(signing, where)).toBe('corrected');

  expect(gitlab.hooks.all).toEqual([
    {
      id: expect.any(Number),
      place,
      url,
      name: 'davit',
      pushEvents: false,
      jobEvents: true,
      isVerified: true,
      signingToken: signing,
      template: '',
      alertStatus: 'executable',
    },
  ]);
});

test.each([
  ['signs with a secret for signing, and does not send it', true, signing, { signingToken: signing }, undefined],
  ['sends a secret for signing, before 19.0', false, signing, { token: signing }, undefined],
  ['sends another secret', true, plain, { token: plain }, undefined],
  ['signs with it from then on', true, signing, { signingToken: signing }, { token: signing }],
  ['sends another one from then on', true, plain, { token: plain }, { token: 'an older one' }],
])('a GitLab %s', async (_what, canSign, secret, expected, before) => {
  gitlab.hooks.canSign = canSign;
  if (before !== undefined) addHook(before);

  await put(secret);

  const [{ token, signingToken } = {}] = gitlab.hooks.all;
  expect({ token, signingToken }).toEqual({ token: undefined, signingToken: undefined, ...expected });
});

test('a webhook is corrected, and keeps what else it sends; others stay as they are', async () => {
  const older = { pushEvents: true, jobEvents: false, isVerified: false, template: '{"id":"{{build_id}}"}' };
  addHook({ ...older, alertStatus: 'disabled', token: 'an older one' });
  const others = [addHook({ id: 8, url: 'https://chat.example.com' }), addHook({ id: 9, place: 'groups/tools' })];
  const before = structuredClone(others);

  expect(await put(plain)).toBe('corrected');

  const [corrected] = gitlab.hooks.all;
  expect(corrected).toMatchObject({ pushEvents: true, jobEvents: true, isVerified: false, token: plain });
  expect(corrected).toMatchObject({ template: '', alertStatus: 'executable' });
  expect(others).toEqual(before);
});

test('a webhook that stays disabled is refused, with the words of its test', async () => {
  addHook({ alertStatus: 'temporarily_disabled' });
  gitlab.hooks.testRefusal = 'Ensure the project has CI jobs.';

  await expect(put(plain)).rejects.toThrow(/CiRefused: .*disabled .*422: Ensure the project has CI jobs\./);
});

test('a webhook where davit takes no jobs is refused before anything is asked', async () => {
  await expect(put(plain, project, url, 'other')).rejects.toThrow(/CiRefused: .*acme\/tools\/app is not in its entry/);
  expect(gitlab.exchanges).toEqual([]);
});

describe('the deliveries of a webhook that davit made', () => {
  const got: { headers: Record<string, string>; body: Buffer }[] = [];
  let davit: LoopbackServer;

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    got.push({ headers: Object(request.headers), body: await buffer(request) });
    response.writeHead(202).end();
  }

  beforeEach(async () => {
    got.length = 0;
    davit = await startLoopbackServer((request, response) => void take(request, response));
  });
  afterEach(() => davit.stop());

  test.each([
    ['signed', true, signing],
    ['with a secret for signing that is sent', false, signing],
    ['with another secret', true, plain],
  ])('are authentic to davit (%s)', async (_what, canSign, secret) => {
    gitlab.hooks.canSign = canSign;
    await put(secret, scope, davit.url);

    const { id } = gitlab.state.queue({ project: 'acme/tools/app', name: 'job', tags: ['linux'] });

    await eventually(() => expect(got).toHaveLength(1));
    const [delivery = { headers: {}, body: Buffer.from('') }] = got;
    expect(await readJobHook(fixedSigning(secret), delivery)).toMatchObject({ only: { jobId: id } });
  });
});
