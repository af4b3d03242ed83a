import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import type { JsonValue } from '../../../local/json-value.ts';

/** The changes when recorded data is restored at another time, in another cluster. */
export interface Move {
  /** The time since the recording, in milliseconds. */
  laterMs: number;
  /** Substrings to replace: the launch's id, the API's URL, credentials. */
  texts: ReadonlyMap<string, string>;
  /** Whole values to replace: those that another cluster allocates (uids, resource versions, ports). */
  values: ReadonlyMap<JsonValue, JsonValue>;
}

/** Applies a move's changes to recorded data, and changes nothing else. */
export function moved(value: JsonValue, move: Move, field = ''): JsonValue {
  const replaced = move.values.get(value);
  if (replaced !== undefined) return replaced;
  if (Array.isArray(value)) return value.map((item) => moved(item, move));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, moved(item, move, name)]));
  }
  if (typeof value === 'number') return movedNumber(value, move.laterMs, field);
  if (typeof value !== 'string') return value;
  if (isoFields.has(field)) return new Date(Date.parse(value) + move.laterMs).toISOString();
  return [...move.texts].reduce((text, [from, to]) => text.replaceAll(from, to), value);
}

/** A token has its times as text; all other data has them as numbers. */
const isoFields: ReadonlySet<string> = new Set(['publishedAt', 'expiresAt']);

function movedNumber(value: number, laterMs: number, field: string): number {
  if (field.endsWith('EpochMs')) return value + laterMs;
  if (field.endsWith('EpochSeconds')) return value + Math.round(laterMs / 1000);
  return value;
}

/**
 * Signs a recorded credential again with shifted times, since the signature covers them.
 *
 * @param key the key of the recorded installation
 */
export async function movedCredential(credential: string, key: string, move: Move): Promise<string> {
  const { alg, ...header } = decodeProtectedHeader(credential);
  const { iat = 0, exp = 0, ...claims } = decodeJwt(credential);
  const laterSeconds = Math.round(move.laterMs / 1000);
  const texts = Object.entries(claims).map(([name, claim]) => [
    name,
    typeof claim === 'string' ? moved(claim, move) : claim,
  ]);
  return new SignJWT({ ...Object.fromEntries(texts), iat: iat + laterSeconds, exp: exp + laterSeconds })
    .setProtectedHeader({ ...header, alg: alg ?? '' })
    .sign(new TextEncoder().encode(key));
}
