import { readBuildkiteHook } from '../../../../ci/buildkite/read-buildkite-hook.ts';
import { signedHook } from '../../../support/buildkite/start-fake-buildkite.ts';
import { fixedSigning } from '../../../support/fixed-secrets.ts';

const secrets = fixedSigning('secret');
const text = '{"event":"job.scheduled"}';
const body = Buffer.from(text);
const read = (headers: Record<string, string>) => readBuildkiteHook(secrets, { headers, body });

test.each(['job.scheduled', 'job.started', 'job.finished'])('%s asks for a poll', async (event) => {
  expect(await read(signedHook('secret', event, text))).toEqual({ poll: true });
});

test('the token of the webhook is as good as a signature', async () => {
  expect(await read({ 'x-buildkite-event': 'job.scheduled', 'x-buildkite-token': 'secret' })).toEqual({ poll: true });
});

test('another event asks for nothing', async () => {
  expect(await read(signedHook('secret', 'ping', text))).toEqual({ ignored: 'davit does nothing for ping events' });
});

test.each([
  { what: 'nothing', headers: {} },
  { what: 'another token', headers: { 'x-buildkite-token': 'other' } },
  { what: 'an empty token', headers: { 'x-buildkite-token': '' } },
  { what: 'a signature by another secret', headers: signedHook('other', 'job.scheduled', text) },
  { what: 'a signature of another body', headers: signedHook('secret', 'job.scheduled', '{}') },
  {
    what: 'a signature of five minutes ago',
    headers: signedHook('secret', 'job.scheduled', text, Date.now() - 301_000),
  },
  { what: 'a signature of the future', headers: signedHook('secret', 'job.scheduled', text, Date.now() + 302_000) },
  { what: 'a signature in another form', headers: { 'x-buildkite-signature': 'sha256=00' } },
  {
    what: 'a wrong signature beside the right token',
    headers: { ...signedHook('other', 'job.scheduled', text), 'x-buildkite-token': 'secret' },
  },
])('a request with $what is refused', async ({ headers }) => {
  await expect(read({ 'x-buildkite-event': 'job.scheduled', ...headers })).rejects.toThrow('signature-refused');
});

test('an empty secret, as a file has that is being written, lets nobody in', async () => {
  const headers = signedHook('', 'job.scheduled', text);

  await expect(readBuildkiteHook(fixedSigning(''), { headers, body })).rejects.toThrow('signature-refused');
});
