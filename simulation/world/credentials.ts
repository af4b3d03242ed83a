import { agentNameOf } from '../../core/launch/names.ts';
import type { CredentialIssuer, CredentialVerifier, VerifiedAgent } from '../../ports/credentials.ts';
import type { SigningSecret, SigningSecrets } from '../../ports/secrets.ts';
import { verifySignature } from '../../runtime/signing/verify-signature.ts';
import { signingSecrets } from './secrets.ts';

/** The prefix of every credential, like a JWT's, which shows a leak. */
export const credentialMark = 'eyJzaW11bGF0ZWQ';

/** Credentials by a key whose version davit chooses itself. A signature is simply the key's name. */
export function simulatedCredentials(
  secretsOf: (id: string) => SigningSecrets,
  nowEpochMs: () => number,
): CredentialIssuer & CredentialVerifier {
  const keys: SigningSecrets = {
    accepted: () => secretsOf(signingSecrets.credentials).accepted(),
    refreshed: () => secretsOf(signingSecrets.credentials).refreshed(),
  };
  return {
    issue: async (identity, expiresAtEpochSeconds) => {
      const [key] = await keys.accepted();
      if (key === undefined) throw new Error('there is no key to sign credentials with');
      return credentialBy(key, { ...identity, issuedAtEpochMs: nowEpochMs() }, expiresAtEpochSeconds);
    },
    verify: (credential) =>
      verifySignature(keys, {
        secretId: credential.split(/[._]/)[1],
        by: async (key) => identityIn(credential, key, nowEpochMs()),
      }),
  };
}

/** Signs a credential with any key. */
export function credentialBy(
  key: SigningSecret,
  { agentName, launchId, credentialId, issuedAtEpochMs }: Required<VerifiedAgent>,
  expiresAtEpochSeconds: number,
): string {
  const said = [key.id, agentName, launchId, credentialId, issuedAtEpochMs, expiresAtEpochSeconds].join('_');
  return [credentialMark, said, key.text].join('.');
}

function identityIn(credential: string, key: SigningSecret, nowEpochMs: number): VerifiedAgent | undefined {
  const [mark, said = '', signature] = credential.split('.');
  const [, agentName, launchId, credentialId, issuedAtEpochMs, expires] = said.split('_');
  if (mark !== credentialMark || signature !== key.text) return undefined;
  if (agentName === undefined || launchId === undefined || credentialId === undefined) return undefined;
  if (!agentName.startsWith(agentNameOf(launchId))) return undefined;
  if (Number(expires) * 1000 <= nowEpochMs) return undefined;
  return { agentName, launchId, credentialId, issuedAtEpochMs: Number(issuedAtEpochMs) };
}
