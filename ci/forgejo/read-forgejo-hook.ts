import { decodeText } from '../../runtime/http/read-json.ts';
import { checkSignature } from '../../runtime/signing/check-signature.ts';
import type { EventReader } from '../event-reader.ts';

/**
 * Reads a webhook of Forgejo, such as that of a push, as a request to poll its jobs now. Forgejo sends no events of single
 * jobs, so davit ignores what the event says, and asks.
 *
 * @see https://forgejo.org/docs/latest/user/webhooks/
 */
export const readForgejoHook: EventReader = async (secrets, { headers, body }) => {
  const own = headers['x-forgejo-signature'] ?? headers['x-gitea-signature'];
  const signature = own === undefined ? headers['x-hub-signature-256'] : `sha256=${own}`;
  await checkSignature(secrets, decodeText(body), signature, 'X-Forgejo-Signature');
  return { poll: true };
};
