import { readJobHook } from '../../../../ci/gitlab/read-job-hook.ts';
import { fixedSigning } from '../../../support/fixed-secrets.ts';
import { hookHeaders } from '../../../support/gitlab/start-fake-gitlab.ts';

const signing = 'whsec_dGVzdHRlc3R0ZXN0dGVzdHRlc3R0ZXN0dGVzdHRlc3Q=';
const otherSigning = 'whsec_b3RoZXJvdGhlcm90aGVyb3RoZXJvdGhlcm90aGVyb3Q=';
const event = { object_kind: 'build', build_id: 345, build_status: 'pending', project_id: 12, runner: null };
const text = JSON.stringify(event);

function read(secret: string, headers: Record<string, string>, body: string | Buffer = text) {
  return readJobHook(fixedSigning(secret), { headers, body: Buffer.from(body) });
}

test.each(['secret', signing])('an event of a job asks for that job, by the secret %s', async (secret) => {
  expect(await read(secret, hookHeaders(secret, text))).toEqual({ poll: true, only: { repositoryId: 12, jobId: 345 } });
});

test.each(['running', 'success', 'failed', 'canceling', 'canceled', 'a-new-one'])(
  'so does one of a job that is %s',
  async (status) => {
    const body = JSON.stringify({ ...event, build_status: status });

    expect(await read('secret', hookHeaders('secret', body), body)).toMatchObject({ poll: true });
  },
);

test.each(['created', 'manual', 'scheduled', 'preparing', 'waiting_for_resource'])(
  'a job that is %s asks for nothing yet',
  async (status) => {
    const body = JSON.stringify({ ...event, build_status: status });

    expect(await read('secret', hookHeaders('secret', body), body)).toEqual({
      ignored: `the job is ${status}: it does not wait for a runner yet`,
    });
  },
);

test.each([
  { 'x-gitlab-event': 'Job Hook', 'webhook-signature': 'v1,x' },
  { 'x-gitlab-event': 'Job Hook', 'webhook-signature': 'v1,x', 'x-gitlab-token': '' },
])('an empty secret, as a file has that is being written, lets nobody in: %j', async (headers) => {
  await expect(read('', headers)).rejects.toThrow('signature-refused');
});

test('an event of another kind asks for nothing', async () => {
  const headers = { ...hookHeaders('secret', text), 'x-gitlab-event': 'Push Hook' };

  expect(await read('secret', headers)).toEqual({ ignored: 'davit does nothing for Push Hook events' });
});

test.each([
  { what: 'is empty', body: '' },
  { what: 'is no JSON', body: 'build' },
  { what: 'is not UTF-8', body: Buffer.from([0xff, 0xfe]) },
  { what: 'is that of a template', body: '{"job":345}' },
  { what: 'has ids that are no numbers', body: JSON.stringify({ ...event, build_id: '345' }) },
  { what: 'is nested too deeply', body: `${'['.repeat(50_000)}${']'.repeat(50_000)}` },
])('an authentic event whose body $what is ignored, not refused', async ({ body }) => {
  const headers = { 'x-gitlab-event': 'Job Hook', 'x-gitlab-token': 'secret' };

  expect(await read('secret', headers, body)).toEqual({
    ignored: 'the body is not that of a job event: has the webhook a template of its own?',
  });
});

test('a secret for signing is believed as the secret token of a webhook that is not signed', async () => {
  const headers = { 'x-gitlab-event': 'Job Hook', 'x-gitlab-token': signing };

  expect(await read(signing, headers)).toMatchObject({ poll: true });
});

test.each([
  { what: 'nothing', secret: 'secret', headers: {} },
  { what: 'another token', secret: 'secret', headers: { 'x-gitlab-token': 'other' } },
  { what: 'an empty token', secret: '', headers: { 'x-gitlab-token': '' } },
  { what: 'a signature by another token', secret: signing, headers: hookHeaders(otherSigning, text) },
  { what: 'a signature of another body', secret: signing, headers: hookHeaders(signing, '{}') },
  { what: 'an old signature', secret: signing, headers: hookHeaders(signing, text, Date.now() - 301_000) },
  { what: 'half a signature', secret: signing, headers: { 'webhook-signature': 'v1,AAAA' } },
  {
    what: 'a wrong signature beside the right token',
    secret: signing,
    headers: { ...hookHeaders(otherSigning, text), 'x-gitlab-token': signing },
  },
])('a request with $what is refused', async ({ secret, headers }) => {
  await expect(read(secret, { 'x-gitlab-event': 'Job Hook', ...headers })).rejects.toThrow('signature-refused');
});
