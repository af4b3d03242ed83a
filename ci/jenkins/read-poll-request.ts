import { decodeText } from '../../runtime/http/read-json.ts';
import { checkSignature } from '../../runtime/signing/check-signature.ts';
import type { EventReader } from '../event-reader.ts';

/**
 * Reads a signed request to poll Jenkins at once. A script or a plugin sends it: Jenkins itself sends no events of its
 * queue. davit ignores the body, and asks Jenkins.
 */
export const readPollRequest: EventReader = async (secrets, { headers, body }) => {
  await checkSignature(secrets, decodeText(body), headers['x-hub-signature-256']);
  return { poll: true };
};
