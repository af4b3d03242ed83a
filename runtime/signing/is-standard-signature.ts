import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { HttpRequest } from '../http/request.ts';

/**
 * Says whether a body is signed with a secret as Standard Webhooks specifies, at most five minutes ago.
 *
 * @throws Error for a secret that is not base64
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function isStandardSignature(secret: string, body: string | Buffer, headers: HttpRequest['headers']): boolean {
  const webhook = new Webhook(secret);
  try {
    webhook.verify(body, headers, { jsonParse: false });
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  }
}
