import { createHmac } from 'node:crypto';
import type { SigningSecret, SigningSecrets } from '../../ports/secrets.ts';
import { Problem } from '../../runtime/http/problem.ts';
import { decodeText } from '../../runtime/http/read-json.ts';
import type { HttpRequest } from '../../runtime/http/request.ts';
import { isSameSecret } from '../../runtime/signing/is-same-secret.ts';
import { verifySignature } from '../../runtime/signing/verify-signature.ts';
import type { EventReader } from '../event-reader.ts';

/** How old a signature may be, in milliseconds. */
const windowMs = 300_000;

const jobEvents: ReadonlySet<string> = new Set(['job.scheduled', 'job.started', 'job.finished']);

/**
 * Reads a webhook of Buildkite as a request to poll its queue now: davit ignores what it says of the job, and asks. Accepts
 * a signature of the last five minutes, or the webhook's token.
 *
 * @see https://buildkite.com/docs/apis/webhooks/pipelines#http-headers
 */
export const readBuildkiteHook: EventReader = async (secrets, { headers, body }) => {
  await check(secrets, decodeText(body), headers);
  const event = headers['x-buildkite-event'] ?? '';
  if (jobEvents.has(event)) return { poll: true };
  return { ignored: `davit does nothing for ${event.slice(0, 40)} events` };
};

async function check(secrets: SigningSecrets, text: string, headers: HttpRequest['headers']): Promise<void> {
  const token = headers['x-buildkite-token'];
  const signature = headers['x-buildkite-signature'];
  const isMadeBy = (secret: SigningSecret): boolean => {
    if (signature !== undefined) return isSignedBy(secret.text, text, signature);
    return token !== undefined && isSameSecret(token, secret.text);
  };
  const by = async (secret: SigningSecret) => (isMadeBy(secret) ? secret : undefined);
  if (((signature ?? token) || '') !== '' && (await verifySignature(secrets, { by })) !== undefined) return;
  throw new Problem('signature-refused', {
    detail:
      'X-Buildkite-Signature and X-Buildkite-Token are missing, or the signature is more than 5 minutes off, or they are not made with the secret of davit.yaml.',
  });
}

/** @param signature `timestamp=SECONDS,signature=HEX` */
function isSignedBy(secret: string, text: string, signature: string): boolean {
  const [, timestamp = '', hex = ''] = /^timestamp=(\d+), ?signature=([0-9a-f]{64})$/.exec(signature) ?? [];
  if (hex === '' || Math.abs(Date.now() - Number(timestamp) * 1000) > windowMs) return false;
  return isSameSecret(hex, createHmac('sha256', secret).update(`${timestamp}.${text}`).digest('hex'));
}
