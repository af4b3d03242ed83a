import { randomBytes } from 'node:crypto';
import type { CiProvider } from '../core/ci/ci-system-config.ts';
import { traitsOf } from '../core/ci/ci-systems.ts';

/**
 * Makes an unguessable secret for the webhooks of a kind of CI system, in the form in which it signs them.
 *
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function newWebhookSecret(provider: CiProvider): string {
  const bytes = randomBytes(32);
  return traitsOf(provider).hasStandardSignatures ? `whsec_${bytes.toString('base64')}` : bytes.toString('hex');
}
