import { errors, jwtVerify, SignJWT } from 'jose';
import * as z from 'zod';
import { AgentName, isAgentOf, LaunchId } from '../../domain/names.ts';
import type { CredentialIssuer, CredentialVerifier } from '../../ports/credentials.ts';

/** What signing and checking credentials needs. */
export interface JoseCredentialsDeps {
  /** Reads the key: any text of at least 32 bytes. @throws TransientError StoreUnavailable */
  readKey: () => Promise<string>;
  nowEpochMs: () => number;
}

const algorithm = 'HS256';
const issuer = 'davit';
const audience = 'davit-connect';
/** RFC 7518 section 3.2: a key at least as long as the hash's output. */
const minKeyBytes = 32;

const Claims = z.object({ sub: AgentName, launchId: LaunchId, jti: z.string().optional() });

/**
 * Issues credentials: JWTs bound to one agent and one launch, for one audience.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7519
 */
export function createJoseIssuer(deps: JoseCredentialsDeps): CredentialIssuer {
  return {
    issue: async ({ agentName, launchId, credentialId }, expiresAtEpochSeconds) =>
      new SignJWT({ launchId })
        .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(agentName)
        .setJti(credentialId)
        .setIssuedAt(new Date(deps.nowEpochMs()))
        .setExpirationTime(expiresAtEpochSeconds)
        .sign(await keyOf(deps)),
  };
}

/** Checks credentials that `createJoseIssuer` made. The algorithm is ours to say, never the credential's. */
export function createJoseVerifier(deps: JoseCredentialsDeps): CredentialVerifier {
  return {
    verify: async (credential) => {
      const key = await keyOf(deps);
      try {
        const { payload } = await jwtVerify(credential, key, {
          algorithms: [algorithm],
          issuer,
          audience,
          requiredClaims: ['exp', 'sub', 'launchId'],
          currentDate: new Date(deps.nowEpochMs()),
        });
        const claims = Claims.safeParse(payload).data;
        if (claims === undefined || !isAgentOf(claims.launchId, claims.sub)) return undefined;
        const { sub: agentName, launchId, jti: credentialId } = claims;
        return { agentName, launchId, ...(credentialId === undefined ? {} : { credentialId }) };
      } catch (error) {
        // jose's own errors all say that the credential is no good; anything else is a defect.
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
  };
}

async function keyOf(deps: JoseCredentialsDeps): Promise<Uint8Array> {
  const key = new TextEncoder().encode(await deps.readKey());
  if (key.length < minKeyBytes)
    throw new Error(`the credential key has ${key.length} bytes, at least ${minKeyBytes} are needed`);
  return key;
}
