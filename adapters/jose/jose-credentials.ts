import { decodeProtectedHeader, errors, jwtVerify, SignJWT } from 'jose';
import { AgentName, isAgentOf, LaunchId } from '../../core/launch/names.ts';
import * as z from '../../core/zod.ts';
import type { CredentialIssuer, CredentialVerifier, VerifiedAgent } from '../../ports/credentials.ts';
import type { SigningSecret, SigningSecrets } from '../../ports/secrets.ts';
import { verifySignature } from '../../runtime/signing/verify-signature.ts';

/** The dependencies of signing and checking credentials. */
export interface JoseCredentialsDeps {
  /** The keys: any text of at least 32 bytes. */
  keys: SigningSecrets;
  nowEpochMs: () => number;
}

const algorithm = 'HS256';
const issuer = 'davit';
const audience = 'davit-connect';
/** RFC 7518 section 3.2: a key at least as long as the hash's output. */
const minKeyBytes = 32;

const Claims = z.object({ sub: AgentName, launchId: LaunchId, jti: z.optional(z.string()), iat: z.int() });

/**
 * Issues credentials: JWTs bound to one agent and one launch, for one audience.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7519
 */
export function createJoseIssuer(deps: JoseCredentialsDeps): CredentialIssuer {
  return {
    issue: async ({ agentName, launchId, credentialId }, expiresAtEpochSeconds) => {
      const [key] = await deps.keys.accepted();
      if (key === undefined) throw new Error('there is no key to sign credentials with');
      return await new SignJWT({ launchId })
        .setProtectedHeader({ alg: algorithm, typ: 'JWT', kid: key.id })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(agentName)
        .setJti(credentialId)
        .setIssuedAt(new Date(deps.nowEpochMs()))
        .setExpirationTime(expiresAtEpochSeconds)
        .sign(bytesOf(key));
    },
  };
}

/**
 * Checks credentials that `createJoseIssuer` made. davit chooses the algorithm, never the credential. The credential's
 * header names the key. A credential of version 0.1.0 names none, so davit tries each key.
 */
export function createJoseVerifier(deps: JoseCredentialsDeps): CredentialVerifier {
  return {
    verify: (credential) =>
      verifySignature(deps.keys, { secretId: keyIdOf(credential), by: (key) => identityBy(deps, credential, key) }),
  };
}

async function identityBy(
  { nowEpochMs }: JoseCredentialsDeps,
  credential: string,
  key: SigningSecret,
): Promise<VerifiedAgent | undefined> {
  const bytes = bytesOf(key);
  try {
    const { payload } = await jwtVerify(credential, bytes, {
      algorithms: [algorithm],
      issuer,
      audience,
      requiredClaims: ['exp', 'iat', 'sub', 'launchId'],
      currentDate: new Date(nowEpochMs()),
    });
    const claims = Claims.safeParse(payload).data;
    if (claims === undefined || !isAgentOf(claims.launchId, claims.sub)) return undefined;
    const { sub: agentName, launchId, jti: credentialId, iat } = claims;
    const issuedAtEpochMs = iat * 1000;
    return { agentName, launchId, issuedAtEpochMs, ...(credentialId === undefined ? {} : { credentialId }) };
  } catch (error) {
    // All of jose's own errors mean that the credential is invalid; any other error is a defect.
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

/** Reads which key a credential names. The credential is not verified yet. */
function keyIdOf(credential: string): string | undefined {
  try {
    const { kid } = decodeProtectedHeader(credential);
    return typeof kid === 'string' ? kid : undefined;
  } catch (error) {
    // All that jose says of what is no JWT.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function bytesOf({ text }: SigningSecret): Uint8Array {
  const key = new TextEncoder().encode(text);
  if (key.length < minKeyBytes)
    throw new Error(`the credential key has ${key.length} bytes, at least ${minKeyBytes} are needed`);
  return key;
}
