import { createHmac } from 'node:crypto';
import * as fc from 'fast-check';
import * as z from 'zod';
import { agentNameOf } from '../../../../core/launch/names.ts';
import type { JsonValue } from '../../../../local/json-value.ts';
import { testNowEpochMs } from '../../../support/make-launch-deps.ts';
import { mutatedJson } from '../arbitraries/mutated-json.ts';
import { type JwtRecipe, jwtOf, mutatedJwt } from '../arbitraries/mutated-jwt.ts';
import { odd } from '../arbitraries/odd-json.ts';
import { weighted } from '../arbitraries/weighted.ts';
import type { FuzzRequest } from '../http/fuzz-request.ts';
import { knownLaunches } from '../http/fuzzed-davit.ts';

/** An agent's request, with the credential that the input describes. */
export interface Connecting {
  agentName: string;
  scheme: string;
  credential: JwtRecipe;
  extra: [string, string][];
}

const known = [...Object.values(knownLaunches), 'github-9-9-9'];
const launchIds = fc.constantFrom(...known);
const nowSeconds = testNowEpochMs / 1000;

/** The claims that CreatePod puts into a credential. */
function claimsOf(launchId: string) {
  return {
    launchId,
    iss: 'davit',
    aud: 'davit-connect',
    sub: agentNameOf(launchId),
    iat: nowSeconds,
    exp: nowSeconds + 600,
  };
}

/** Valid claims, near-misses, and a mix of two launches' claims. */
function anyClaimsOf(launchId: string): fc.Arbitrary<JsonValue> {
  const mixed = fc
    .tuple(launchIds, fc.constantFrom(-600, -1, 0, 1))
    .map(([other, forSeconds]) => ({ ...claimsOf(launchId), launchId: other, exp: nowSeconds + forSeconds }));
  return weighted([3, fc.constant(claimsOf(launchId))], [3, mutatedJson(claimsOf(launchId))], [1, mixed]);
}

function anyConnectingOf(launchId: string): fc.Arbitrary<Connecting> {
  return fc.record({
    agentName: weighted(
      [12, fc.constant(agentNameOf(launchId))],
      [2, launchIds.map((other) => agentNameOf(other))],
      [1, fc.constantFrom('davit-', `${agentNameOf(launchId)}-r2`, launchId)],
      [1, odd.text],
    ),
    scheme: weighted(
      [12, fc.constantFrom('Bearer ', 'bearer ', 'Bearer   ')],
      [1, fc.constantFrom('', 'Bearer', 'Basic ', 'Bearer\t', ' Bearer ', 'Bearer Bearer ')],
      [1, odd.text],
    ),
    credential: mutatedJwt(anyClaimsOf(launchId)),
    extra: weighted(
      [8, fc.constant<[string, string][]>([])],
      [1, fc.tuple(fc.constant('authorization'), odd.text).map((header) => [header])],
    ),
  });
}

/** Any agent's request. */
export const anyConnecting = fc.oneof(...known.map(anyConnectingOf));

/** Makes the request. @param key the signing key of credentials */
export function requestOfConnecting({ agentName, scheme, credential, extra }: Connecting, key: string): FuzzRequest {
  return {
    method: 'POST',
    segments: ['agents', agentName, 'connect'],
    query: {},
    headers: [['authorization', `${scheme}${jwtOf(credential, key)}`], ...extra],
    body: Buffer.alloc(0),
  };
}

const Header = z.object({ alg: z.literal('HS256') });
/** JSON can contain 1e999, which never expires. */
const Moment = z.union([z.number(), z.literal(Infinity)]);
const Claims = z.object({ sub: z.string(), launchId: z.string(), exp: Moment });

/**
 * Whether a request carries the credential of the agent that it names, signed by the key and not expired. An
 * independent implementation: it calls nothing of davit's.
 */
export function isEntitled({ segments, headers }: FuzzRequest, key: string): boolean {
  const given = headers.filter(([name]) => name === 'authorization').map(([, value]) => value);
  const [header = '', payload = '', signature = '', ...more] = (given[0] ?? '').replace(/^bearer +/i, '').split('.');
  const expected = createHmac('sha256', key).update(`${header}.${payload}`).digest();
  if (given.length !== 1 || more.length > 0 || !expected.equals(Buffer.from(signature, 'base64url'))) return false;
  const claims = Claims.safeParse(decoded(payload)).data;
  return (
    Header.safeParse(decoded(header)).success &&
    claims !== undefined &&
    claims.sub === segments[1] &&
    claims.sub.replace(/-r[2-9]$/, '') === agentNameOf(claims.launchId) &&
    claims.exp > nowSeconds
  );
}

function decoded(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
