import assert from 'node:assert/strict';

/** The secrets of the fuzzed davit: none may appear in an answer, a log or an error. */
export const secrets = {
  webhook: 'wh-secret-5up3r-0f-the-provider',
  credentialKey: 'ck-secret-k3y-that-signs-the-agents-credentials',
  /** With spaces: no label, id or URL allows them, so this text occurs only in the environment. */
  callersEnv: 'env secret 0f the caller',
  kubeconfigToken: 'kc-secret-t0ken-of-the-cluster',
} as const;

/** @throws AssertionError when a text contains one of the secrets */
export function assertNoSecret(text: string, where: string): void {
  for (const [name, secret] of Object.entries(secrets)) {
    assert.ok(!text.includes(secret), `${where} contains the secret ${name}: ${text.slice(0, 300)}`);
  }
}
