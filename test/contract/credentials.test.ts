import { createHmac, generateKeyPairSync } from 'node:crypto';
import * as fc from 'fast-check';
import { decodeProtectedHeader, exportSPKI, SignJWT, UnsecuredJWT } from 'jose';
import { createJoseIssuer, createJoseVerifier } from '../../adapters/jose/jose-credentials.ts';
import type { SigningSecret } from '../../ports/secrets.ts';
import { anyCodePoint } from '../support/any-code-point.ts';
import { fixedSigning, rotatedSigning } from '../support/fixed-secrets.ts';

const nowEpochMs = 1_780_308_000_000;
const nowEpochSeconds = nowEpochMs / 1000;
const key = 'the key that credentials are signed with';
const identity = {
  agentName: 'davit-github-1-2-1',
  launchId: 'github-1-2-1',
  credentialId: '4a1c2f0e-7d3b-4e58-9b61-0c5d2e8f7a90',
};

/** The claims of the identity's credential. */
const verified = { ...identity, issuedAtEpochMs: nowEpochMs };

function makeDeps(text = key, atEpochMs = nowEpochMs) {
  return { keys: fixedSigning(text), nowEpochMs: () => atEpochMs };
}

const issuer = createJoseIssuer(makeDeps());
const verifier = createJoseVerifier(makeDeps());

/** Valid claims, except those that a test changes. */
function claims(changed: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    iss: 'davit',
    aud: 'davit-connect',
    sub: identity.agentName,
    launchId: identity.launchId,
    jti: identity.credentialId,
    iat: nowEpochSeconds,
    exp: nowEpochSeconds + 60,
    ...changed,
  };
}

async function signed(payload: Record<string, unknown>, algorithm = 'HS256', text = key): Promise<string> {
  return new SignJWT(payload).setProtectedHeader({ alg: algorithm }).sign(new TextEncoder().encode(text));
}

describe('credentials', () => {
  test('an issued credential identifies its agent and launch, by its own id, until it expires', async () => {
    const credential = await issuer.issue(identity, nowEpochSeconds + 60);

    expect(await verifier.verify(credential)).toEqual(verified);
    expect(await createJoseVerifier(makeDeps(key, nowEpochMs + 59_999)).verify(credential)).toEqual(verified);
    expect(await createJoseVerifier(makeDeps(key, nowEpochMs + 60_000)).verify(credential)).toBeUndefined();
  });

  test('a credential of a later generation identifies the agent of that generation', async () => {
    const later = { ...identity, agentName: 'davit-github-1-2-1-r3' };

    expect(await verifier.verify(await issuer.issue(later, nowEpochSeconds + 60))).toEqual({ ...verified, ...later });
  });

  test('a credential signed by this test is accepted, so the changes below are what gets refused', async () => {
    expect(await verifier.verify(await signed(claims()))).toEqual(verified);
  });

  test('a credential of version 0.1.0, without an id of its own, identifies its agent and launch', async () => {
    const { credentialId: _, ...withoutId } = verified;

    expect(await verifier.verify(await signed(claims({ jti: undefined })))).toEqual(withoutId);
  });

  test.each([
    { what: 'another audience', changed: { aud: 'davit-launches' } },
    { what: 'no audience', changed: { aud: undefined } },
    { what: 'another issuer', changed: { iss: 'david' } },
    { what: 'no expiry', changed: { exp: undefined } },
    { what: 'an expiry that is not a number', changed: { exp: 'never' } },
    { what: 'no time of issue', changed: { iat: undefined } },
    { what: 'no agent', changed: { sub: undefined } },
    { what: "an invalid agent's name", changed: { sub: 'root' } },
    { what: 'an agent of an impossible generation', changed: { sub: 'davit-github-1-2-1-r10' } },
    { what: 'no launch', changed: { launchId: undefined } },
    { what: 'an id that is not text', changed: { jti: 7 } },
    { what: 'a launch that is a list', changed: { launchId: [identity.launchId] } },
    { what: "another launch than the agent's", changed: { launchId: 'github-1-3-1' } },
    { what: 'a start of validity in the future', changed: { nbf: nowEpochSeconds + 10 } },
  ])('a credential with $what is refused', async ({ changed }) => {
    expect(await verifier.verify(await signed(claims(changed)))).toBeUndefined();
  });

  test.each(['HS384', 'HS512'])('a credential signed by the right key with %s is refused', async (algorithm) => {
    const longKey = key.repeat(2);

    const credential = await signed(claims(), algorithm, longKey);

    expect(await createJoseVerifier(makeDeps(longKey)).verify(credential)).toBeUndefined();
  });

  test('a credential signed by another key is refused', async () => {
    expect(await verifier.verify(await signed(claims(), 'HS256', 'x'.repeat(40)))).toBeUndefined();
  });

  test('a credential with alg none is refused, whatever its signature', async () => {
    const unsecured = new UnsecuredJWT(claims()).encode();
    const [, , signature = ''] = (await signed(claims())).split('.');

    expect(await verifier.verify(unsecured)).toBeUndefined();
    expect(await verifier.verify(`${unsecured}${signature}`)).toBeUndefined();
  });

  test("a credential with RS256, signed by a private key or by the public key's text as an HMAC key, is refused", async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const publicText = await exportSPKI(publicKey);
    const byPrivateKey = await new SignJWT(claims()).setProtectedHeader({ alg: 'RS256' }).sign(privateKey);
    const [, payload = ''] = byPrivateKey.split('.');
    const head = Buffer.from('{"alg":"RS256"}').toString('base64url');
    const hmac = createHmac('sha256', publicText).update(`${head}.${payload}`).digest('base64url');

    for (const credential of [byPrivateKey, `${head}.${payload}.${hmac}`]) {
      expect(await createJoseVerifier(makeDeps(publicText)).verify(credential)).toBeUndefined();
    }
  });

  test('a truncated credential is refused', async () => {
    const credential = await issuer.issue(identity, nowEpochSeconds + 60);
    await fc.assert(
      fc.asyncProperty(fc.nat(credential.length - 1), async (length) => {
        expect(await verifier.verify(credential.slice(0, length))).toBeUndefined();
      }),
    );
  });

  test('a credential with any changed bit is invalid', async () => {
    const parts = (await issuer.issue(identity, nowEpochSeconds + 60)).split('.');
    await fc.assert(
      fc.asyncProperty(fc.nat(2), fc.nat(), fc.nat(7), async (part, at, bit) => {
        const bytes = Buffer.from(parts[part] ?? '', 'base64url');
        const index = at % bytes.length;
        bytes.writeUInt8(bytes.readUInt8(index) ^ (1 << bit), index);

        const changed = parts.with(part, bytes.toString('base64url')).join('.');

        expect(await verifier.verify(changed)).toBeUndefined();
      }),
    );
  });

  test('no text is accepted that davit did not issue', async () => {
    const token = fc
      .array(fc.string({ unit: anyCodePoint }), { minLength: 3, maxLength: 3 })
      .map((parts) => parts.join('.'));
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), token), async (text) => {
        expect(await verifier.verify(text)).toBeUndefined();
      }),
    );
  });

  test('a key that is too short to sign with is an error, and not a refusal', async () => {
    const deps = makeDeps('k'.repeat(31));

    await expect(createJoseIssuer(deps).issue(identity, nowEpochSeconds + 60)).rejects.toThrow(
      'the credential key has 31 bytes, at least 32 are needed',
    );
    await expect(createJoseVerifier(deps).verify('a.b.c')).rejects.toThrow('at least 32 are needed');
  });
});

describe('a rotated key', () => {
  const old = { id: 'old', text: 'o'.repeat(32) };
  const current = { id: 'current', text: 'c'.repeat(32) };
  const keys = (known: readonly SigningSecret[], fresh = known) => {
    const rotated = rotatedSigning(known, fresh);
    return { rotated, deps: { keys: rotated, nowEpochMs: () => nowEpochMs } };
  };
  const issuedBy = (signingKey: SigningSecret) =>
    createJoseIssuer(keys([signingKey]).deps).issue(identity, nowEpochSeconds + 60);

  test('signs with its current version, and names it', async () => {
    const credential = await createJoseIssuer(keys([current, old]).deps).issue(identity, nowEpochSeconds + 60);

    expect(decodeProtectedHeader(credential)).toEqual({ alg: 'HS256', typ: 'JWT', kid: 'current' });
  });

  test.each([
    ['before', old],
    ['after', current],
  ])('verifies a credential signed %s, without reading the key again', async (_when, signedWith) => {
    const { rotated, deps } = keys([current, old]);

    expect(await createJoseVerifier(deps).verify(await issuedBy(signedWith))).toEqual(verified);
    expect(rotated.refreshes).toBe(0);
  });

  test('is read again for an unknown version, which it then accepts', async () => {
    const { rotated, deps } = keys([old], [current, old]);
    const looksAgain = createJoseVerifier(deps);

    expect(await looksAgain.verify(await issuedBy(current))).toEqual(verified);
    expect(await looksAgain.verify(await issuedBy(current))).toEqual(verified);
    expect(rotated.refreshes).toBe(1);
  });

  test('is not read again for a forgery that names a known version', async () => {
    const { rotated, deps } = keys([current], [current, old]);

    expect(await createJoseVerifier(deps).verify(await issuedBy({ ...current, text: 'f'.repeat(32) }))).toBeUndefined();
    expect(rotated.refreshes).toBe(0);
  });

  test('refuses a credential that names one version and is signed by another', async () => {
    const { deps } = keys([current, old]);

    expect(await createJoseVerifier(deps).verify(await issuedBy({ ...old, id: 'current' }))).toBeUndefined();
  });

  test('accepts a credential without a version name, as issued by earlier versions of davit, if either version signed it', async () => {
    const { deps } = keys([current, old]);

    expect(await createJoseVerifier(deps).verify(await signed(claims(), 'HS256', old.text))).toEqual(verified);
    expect(await createJoseVerifier(deps).verify(await signed(claims(), 'HS256', 'x'.repeat(32)))).toBeUndefined();
  });

  test('refuses a credential of a version that is no longer valid', async () => {
    const { rotated, deps } = keys([current], [current]);

    expect(await createJoseVerifier(deps).verify(await issuedBy(old))).toBeUndefined();
    expect(rotated.refreshes).toBe(1);
  });
});
