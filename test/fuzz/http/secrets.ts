import assert from 'node:assert/strict';

/** The secrets of the davit that is fuzzed: none may come out by any door, in any log, in any error. */
export const secrets = {
  webhook: 'wh-secret-5up3r-0f-the-provider',
  credentialKey: 'ck-secret-k3y-that-signs-the-agents-credentials',
  /** With blanks: no label, id or URL takes it, so it is nowhere but in the environment. */
  callersEnv: 'env secret 0f the caller',
  kubeconfigToken: 'kc-secret-t0ken-of-the-cluster',
} as const;

/** @throws AssertionError when a text has one of the secrets in it */
export function assertNoSecret(text: string, where: string): void {
  for (const [name, secret] of Object.entries(secrets)) {
    assert.ok(!text.includes(secret), `${where} has the secret ${name} in it: ${text.slice(0, 300)}`);
  }
}
