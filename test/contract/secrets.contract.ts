import type { Secrets } from '../../ports/secrets.ts';

/** Secrets under test, cached for longer than a test takes. */
export interface SecretsUnderTest {
  secrets: Secrets;
  /** Creates the secret, or gives it a new value. */
  put: (id: string, value: string) => Promise<void>;
}

/**
 * The contract of every store of secrets.
 *
 * @param makeSecrets returns one without secrets
 */
export function describeSecrets(name: string, makeSecrets: () => Promise<SecretsUnderTest>): void {
  describe(`secrets (${name})`, () => {
    test('a secret has the value that was put', async () => {
      const { secrets, put } = await makeSecrets();
      const value = '{"käse":"\\u0000 \\n🧀"}\n';

      await put('davit/webhook', value);

      expect(await secrets.read('davit/webhook')).toBe(value);
    });

    test('a secret that was read is cached until it is refreshed', async () => {
      const { secrets, put } = await makeSecrets();
      await put('davit/webhook', 'old');
      await secrets.read('davit/webhook');

      await put('davit/webhook', 'new');
      const kept = await secrets.read('davit/webhook');
      const refreshed = await secrets.refresh('davit/webhook');
      const keptThen = await secrets.read('davit/webhook');

      expect([kept, refreshed, keptThen]).toEqual(['old', 'new', 'new']);
    });

    test('secrets are not confused with one another', async () => {
      const { secrets, put } = await makeSecrets();
      await put('davit/a', 'A');
      await put('davit/b', 'B');

      const values = await Promise.all([secrets.read('davit/a'), secrets.read('davit/b'), secrets.read('davit/a')]);

      expect(values).toEqual(['A', 'B', 'A']);
    });

    test('an error names a missing secret, which is found once it exists', async () => {
      const { secrets, put } = await makeSecrets();

      await expect(secrets.read('davit/late')).rejects.toMatchObject({ name: 'TerminalError', code: 'SecretMissing' });
      await expect(secrets.refresh('davit/late')).rejects.toThrow('davit/late');
      await put('davit/late', 'here');

      expect(await secrets.read('davit/late')).toBe('here');
    });
  });
}
