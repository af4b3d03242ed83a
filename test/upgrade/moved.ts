import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import type { JsonValue } from '../../local/json-value.ts';

/** What changes when recorded data is restored at another time, in another cluster. */
export interface Move {
  /** How much later it is now than it was then, in milliseconds. */
  laterMs: number;
  /** Texts, wherever they are part of a text: the launch's id, the API's URL, credentials. */
  texts: ReadonlyMap<string, string>;
  /** Whole values: what another cluster has allocated (uids, resource versions, ports). */
  values: ReadonlyMap<JsonValue, JsonValue>;
}

/** Changes recorded data as a move says, and nothing else in it. */
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

/** A token has its times as text; everything else has them as numbers. */
const isoFields: ReadonlySet<string> = new Set(['publishedAt', 'expiresAt']);

function movedNumber(value: number, laterMs: number, field: string): number {
  if (field.endsWith('EpochMs')) return value + laterMs;
  if (field.endsWith('EpochSeconds')) return value + Math.round(laterMs / 1000);
  return value;
}

/**
 * Signs a recorded credential again with its claims moved in time, since the signature covers the times.
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
