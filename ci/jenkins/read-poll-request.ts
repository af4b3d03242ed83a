import { decodeText } from '../../runtime/http/read-json.ts';
import { checkSignature } from '../../runtime/signing/check-signature.ts';
import type { EventReader } from '../event-reader.ts';

/**
 * Reads a signed request to poll Jenkins at once. Jenkins itself sends nothing of its queue; a script or a plugin may. The
 * body says nothing that davit needs: it asks Jenkins.
 */
export const readPollRequest: EventReader = async (secrets, { headers, body }) => {
  await checkSignature(secrets, decodeText(body), headers['x-hub-signature-256']);
  return { poll: true };
};
