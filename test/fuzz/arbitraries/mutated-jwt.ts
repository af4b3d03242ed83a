import { createHmac } from 'node:crypto';
import * as fc from 'fast-check';
import type { JsonValue } from '../../../local/json-value.ts';
import { jsonText, mutatedJson } from './mutated-json.ts';
import { odd } from './odd-json.ts';

/** Signs `header.payload`; an empty text is no signature. */
type Signing = (signed: string, key: string) => string;
type Mangling = (jwt: string) => string;

const hmac =
  (hash: string): Signing =>
  (signed, key) =>
    createHmac(hash, key).update(signed).digest('base64url');

const anySigning: fc.Arbitrary<Signing> = fc.oneof(
  { weight: 8, arbitrary: fc.constant(hmac('sha256')) },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Signing[]>(
      () => '',
      (signed) => hmac('sha256')(signed, 'another key, which is long enough to be one'),
      (signed) => hmac('sha256')(signed, ''),
      hmac('sha384'),
      hmac('sha512'),
      (signed, key) => hmac('sha256')(signed.replace('.', ''), key),
    ),
  },
);

const anyHeader: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ alg: 'HS256', typ: 'JWT' }) },
  { weight: 3, arbitrary: mutatedJson({ alg: 'HS256', typ: 'JWT' }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<JsonValue[]>(
      { alg: 'none' },
      { alg: 'None', typ: 'JWT' },
      { alg: 'hs256' },
      { alg: 'HS384' },
      { alg: 'HS512' },
      { alg: 'RS256', jwk: { kty: 'oct', k: 'AAAA' } },
      { alg: 'HS256', crit: ['exp'], exp: 1 },
      { alg: 'HS256', b64: false, crit: ['b64'] },
      { alg: 'HS256', zip: 'DEF' },
      { alg: 'dir', enc: 'A128CBC-HS256' },
    ),
  },
);

const anyMangling: fc.Arbitrary<Mangling> = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Mangling>((jwt) => jwt) },
  {
    weight: 1,
    arbitrary: fc.nat(400).map(
      (length): Mangling =>
        (jwt) =>
          jwt.slice(0, length),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.nat(400), odd.text).map(
      ([at, text]): Mangling =>
        (jwt) =>
          jwt.slice(0, at) + text + jwt.slice(at + 1),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Mangling[]>(
      (jwt) => `${jwt}.`,
      (jwt) => `${jwt}=`,
      (jwt) => `.${jwt}`,
      (jwt) => jwt.split('.').slice(0, 2).join('.'),
      (jwt) => `${jwt}.${jwt}`,
      (jwt) => jwt.split('.').toReversed().join('.'),
      (jwt) => jwt.replaceAll('_', '/').replaceAll('-', '+'),
      (jwt) => jwt.toLowerCase(),
    ),
  },
);

/** What a JWT is made from, beside the key. */
export interface JwtRecipe {
  header: JsonValue;
  claims: JsonValue;
  sign: Signing;
  mangle: Mangling;
}

/** Makes JWTs that are nearly right: header, claims, key, algorithm or text are changed, or nothing is. */
export function mutatedJwt(claims: fc.Arbitrary<JsonValue>): fc.Arbitrary<JwtRecipe> {
  return fc.record({ header: anyHeader, claims, sign: anySigning, mangle: anyMangling });
}

/** Makes the JWT of a recipe. */
export function jwtOf({ header, claims, sign, mangle }: JwtRecipe, key: string): string {
  const signed = [header, claims].map((part) => Buffer.from(jsonText(part)).toString('base64url')).join('.');
  return mangle(`${signed}.${sign(signed, key)}`);
}
