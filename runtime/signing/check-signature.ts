import { verify } from '@octokit/webhooks-methods';
import type { SigningSecret, SigningSecrets } from '../../ports/secrets.ts';
import { Problem } from '../http/problem.ts';
import { verifySignature } from './verify-signature.ts';

/**
 * Refuses a body that no accepted version of the webhook's secret has signed by HMAC-SHA256, as GitHub and Gitea sign.
 * `read-standard-event.ts` checks the signatures of Standard Webhooks.
 *
 * @param signature `sha256=HEX`
 * @param header the name of the header that brought it, for the answer
 * @throws Problem `signature-refused`
 * @see https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
 */
export async function checkSignature(
  secrets: SigningSecrets,
  text: string,
  signature: string | undefined,
  header = 'X-Hub-Signature-256',
): Promise<void> {
  if (signature !== undefined && signature !== '') {
    const by = async (secret: SigningSecret) => ((await verify(secret.text, text, signature)) ? secret : undefined);
    if ((await verifySignature(secrets, { by })) !== undefined) return;
  }
  throw new Problem('signature-refused', {
    detail: `${header} is missing, or is not the HMAC-SHA256 of the body by the secret of davit.yaml.`,
  });
}
