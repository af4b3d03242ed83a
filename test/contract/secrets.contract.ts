import { describe, expect, test } from '@jest/globals';
import type { Secrets } from '../../functions/adapters/aws/create-secrets.ts';

/** Secrets under test, which are kept for longer than a test takes. */
export interface SecretsUnderTest {
  secrets: Secrets;
  /** Makes the secret, or gives it a new value. */
  put: (id: string, value: string) => Promise<void>;
}

/**
 * What every store of secrets does.
 *
 * @param makeSecrets gives one without any secret
 */
export function describeSecrets(name: string, makeSecrets: () => Promise<SecretsUnderTest>): void {
  describe(`secrets (${name})`, () => {
    test('a secret is read as it was put', async () => {
      const { secrets, put } = await makeSecrets();
      const value = '{"käse":"\\u0000 \\n🧀"}\n';

      await put('davit/webhook', value);

      expect(await secrets.read('davit/webhook')).toBe(value);
    });

    test('a secret that was read is kept, until it is refreshed', async () => {
      const { secrets, put } = await makeSecrets();
      await put('davit/webhook', 'old');
      await secrets.read('davit/webhook');

      await put('davit/webhook', 'new');
      const kept = await secrets.read('davit/webhook');
      const refreshed = await secrets.refresh('davit/webhook');
      const keptThen = await secrets.read('davit/webhook');

      expect([kept, refreshed, keptThen]).toEqual(['old', 'new', 'new']);
    });

    test('secrets are not taken for one another', async () => {
      const { secrets, put } = await makeSecrets();
      await put('davit/a', 'A');
      await put('davit/b', 'B');

      const values = await Promise.all([secrets.read('davit/a'), secrets.read('davit/b'), secrets.read('davit/a')]);

      expect(values).toEqual(['A', 'B', 'A']);
    });

    test('a secret that is missing is named, and found once it is there', async () => {
      const { secrets, put } = await makeSecrets();

      await expect(secrets.read('davit/late')).rejects.toMatchObject({ name: 'TerminalError', code: 'SecretMissing' });
      await expect(secrets.refresh('davit/late')).rejects.toThrow('davit/late');
      await put('davit/late', 'here');

      expect(await secrets.read('davit/late')).toBe('here');
    });
  });
}
