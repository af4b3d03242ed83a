import { createHmac } from 'node:crypto';
import { readForgejoHook } from '../../../../ci/forgejo/read-forgejo-hook.ts';
import { fixedSigning } from '../../../support/fixed-secrets.ts';

const text = '{"ref":"refs/heads/main"}';
const body = Buffer.from(text);
const read = (headers: Record<string, string>) => readForgejoHook(fixedSigning('secret'), { headers, body });
const signature = (secret: string, signed = text) => createHmac('sha256', secret).update(signed).digest('hex');

test.each([
  { headers: { 'x-forgejo-event': 'push', 'x-forgejo-signature': signature('secret') } },
  { headers: { 'x-gitea-event': 'pull_request', 'x-gitea-signature': signature('secret') } },
  { headers: { 'x-hub-signature-256': `sha256=${signature('secret')}` } },
])('a signed event asks for a poll: $headers', async ({ headers }) => {
  expect(await read(headers)).toEqual({ poll: true });
});

test.each([
  { what: 'nothing', headers: {} },
  { what: 'an empty signature', headers: { 'x-forgejo-signature': '' } },
  { what: 'a signature by another secret', headers: { 'x-forgejo-signature': signature('other') } },
  { what: 'a signature of another body', headers: { 'x-forgejo-signature': signature('secret', '{}') } },
  {
    what: 'a wrong signature beside a right one',
    headers: { 'x-forgejo-signature': signature('other'), 'x-hub-signature-256': `sha256=${signature('secret')}` },
  },
])('a request with $what is refused', async ({ headers }) => {
  await expect(read(headers)).rejects.toThrow('signature-refused');
});
