import { createHmac } from 'node:crypto';
import * as fc from 'fast-check';
import type { JsonValue } from '../../../../local/json-value.ts';
import { jsonText, mutatedJson } from './mutated-json.ts';
import { odd } from './odd-json.ts';
import { weighted } from './weighted.ts';

/** Signs `header.payload`; an empty result means no signature. */
type Signing = (signed: string, key: string) => string;
type Mangling = (jwt: string) => string;

const hmac =
  (hash: string): Signing =>
  (signed, key) =>
    createHmac(hash, key).update(signed).digest('base64url');

const right = { alg: 'HS256', typ: 'JWT' };

/** A header and its signing method, which may contradict the header. */
interface Sealed {
  header: JsonValue;
  sign: Signing;
}

/** Signing methods that match their header, but with algorithms that are not davit's. */
const otherAlgorithms: Sealed[] = [
  { header: { alg: 'HS384' }, sign: hmac('sha384') },
  { header: { alg: 'HS512' }, sign: hmac('sha512') },
  { header: { alg: 'none' }, sign: () => '' },
  { header: { alg: 'None', typ: 'JWT' }, sign: () => '' },
  { header: { alg: 'hs256' }, sign: hmac('sha256') },
];

const oddSigning = fc.constantFrom<Signing[]>(
  () => '',
  (signed) => hmac('sha256')(signed, 'another key, which is long enough to be one'),
  (signed) => hmac('sha256')(signed, ''),
  hmac('sha512'),
  (signed, key) => hmac('sha256')(signed.replace('.', ''), key),
);

const oddHeader = fc.constantFrom<JsonValue[]>(
  { alg: 'RS256', jwk: { kty: 'oct', k: 'AAAA' } },
  { alg: 'HS256', crit: ['exp'], exp: 1 },
  { alg: 'HS256', b64: false, crit: ['b64'] },
  { alg: 'HS256', zip: 'DEF' },
  { alg: 'dir', enc: 'A128CBC-HS256' },
);

const anySealed: fc.Arbitrary<Sealed> = weighted(
  [8, fc.constant({ header: right, sign: hmac('sha256') })],
  [2, fc.constantFrom(...otherAlgorithms)],
  [2, fc.record({ header: fc.constant(right), sign: oddSigning })],
  [2, fc.record({ header: fc.oneof(mutatedJson(right), oddHeader), sign: fc.constant(hmac('sha256')) })],
);

const anyMangling: fc.Arbitrary<Mangling> = weighted(
  [12, fc.constant<Mangling>((jwt) => jwt)],
  [1, fc.nat(400).map((length) => spliced(length))],
  [1, fc.tuple(fc.nat(400), odd.text).map(([at, text]) => spliced(at, text, at + 1))],
  [
    1,
    fc.constantFrom<Mangling[]>(
      (jwt) => `${jwt}.`,
      (jwt) => `${jwt}=`,
      (jwt) => `.${jwt}`,
      (jwt) => jwt.split('.').slice(0, 2).join('.'),
      (jwt) => `${jwt}.${jwt}`,
      (jwt) => jwt.split('.').toReversed().join('.'),
      (jwt) => jwt.replaceAll('_', '/').replaceAll('-', '+'),
      (jwt) => jwt.toLowerCase(),
    ),
  ],
);

/** Cuts a JWT, or puts a text into it. */
function spliced(at: number, text = '', from = Infinity): Mangling {
  return (jwt) => jwt.slice(0, at) + text + jwt.slice(from);
}

/** The parts of a JWT, except the key. */
export interface JwtRecipe {
  sealed: Sealed;
  claims: JsonValue;
  mangle: Mangling;
}

/** Makes near-misses of valid JWTs: at most the header, claims, key, algorithm or text differ. */
export function mutatedJwt(claims: fc.Arbitrary<JsonValue>): fc.Arbitrary<JwtRecipe> {
  return fc.record({ sealed: anySealed, claims, mangle: anyMangling });
}

/** Makes the JWT of a recipe. */
export function jwtOf({ sealed: { header, sign }, claims, mangle }: JwtRecipe, key: string): string {
  const signed = [header, claims].map((part) => Buffer.from(jsonText(part)).toString('base64url')).join('.');
  return mangle(`${signed}.${sign(signed, key)}`);
}
