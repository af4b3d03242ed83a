import { agentNameOf } from '../../functions/domain/names.ts';
import type { AgentIdentity, CredentialIssuer, CredentialVerifier } from '../../functions/ports/credentials.ts';
import type { SigningSecret, SigningSecrets } from '../../functions/ports/signing-secrets.ts';
import { verifySignature } from '../../functions/signing/verify-signature.ts';

/** What every credential starts with, as a JWT does, so that one that leaks is found by it. */
export const credentialMark = 'eyJzaW11bGF0ZWQ';

/** Credentials by a key of which davit chooses the version itself; signing is simplified to naming the key. */
export function simulatedCredentials(
  keys: SigningSecrets,
  nowEpochMs: () => number,
): CredentialIssuer & CredentialVerifier {
  return {
    issue: async (identity, expiresAtEpochSeconds) => {
      const [key] = await keys.accepted();
      if (key === undefined) throw new Error('there is no key to sign credentials with');
      return credentialBy(key, identity, expiresAtEpochSeconds);
    },
    verify: (credential) =>
      verifySignature(keys, {
        secretId: credential.split(/[._]/)[1],
        by: async (key) => identityIn(credential, key, nowEpochMs()),
      }),
  };
}

/** Signs a credential with whatever key. */
export function credentialBy(
  key: SigningSecret,
  { agentName, launchId, credentialId }: Required<AgentIdentity>,
  expiresAtEpochSeconds: number,
): string {
  const said = [key.id, agentName, launchId, credentialId, expiresAtEpochSeconds].join('_');
  return [credentialMark, said, key.text].join('.');
}

function identityIn(credential: string, key: SigningSecret, nowEpochMs: number): AgentIdentity | undefined {
  const [mark, said = '', signature] = credential.split('.');
  const [, agentName, launchId, credentialId, expires] = said.split('_');
  if (mark !== credentialMark || signature !== key.text) return undefined;
  if (agentName === undefined || launchId === undefined || credentialId === undefined) return undefined;
  if (!agentName.startsWith(agentNameOf(launchId))) return undefined;
  if (Number(expires) * 1000 <= nowEpochMs) return undefined;
  return { agentName, launchId, credentialId };
}
